"""Models of torchvision and transformers as their configurations make them, small: each function gives (module, arguments)."""

import torch
import torch.nn as nn

from modules import settle

ZOO = {}


def image(size=64):
    return torch.randn(1, 3, size, size)


def ids(*shape):
    return torch.randint(3, 90, shape)


def add_vision(name, size=64, make=None, **options):
    def build():
        import torchvision

        if make:
            return settle(make(torchvision), torch.cat((image(size), image(size)))), (image(size),)
        settings = {"weights": None, **({} if "weights_backbone" in options else {"num_classes": 10}), **options}
        found = getattr(torchvision.models, name, None) or getattr(torchvision.models.segmentation, name)
        return settle(found(**settings), torch.cat((image(size), image(size)))), (image(size),)

    ZOO[name] = build


for each in ("alexnet", "vgg11", "squeezenet1_1", "densenet121", "mobilenet_v2", "mobilenet_v3_large", "mnasnet0_5", "regnet_y_400mf", "resnext50_32x4d",
             "wide_resnet50_2", "efficientnet_v2_s", "convnext_tiny"):
    add_vision(each)
add_vision("googlenet", 96, aux_logits=False, init_weights=False)
add_vision("inception_v3", 128, aux_logits=False, init_weights=False)
add_vision("vit_b_16", 64, image_size=64)
add_vision("swin_t")
add_vision("swin_v2_t")
add_vision("maxvit_t", 224)
for each in ("lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "fcn_resnet50"):
    add_vision(each, 96, weights_backbone=None)


def ssdlite_backbone(torchvision):
    model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)

    class Backbone(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone, self.head = model.backbone, model.head

        def forward(self, x):
            return self.head(list(self.backbone(x).values()))

    return Backbone()


def feature_pyramid(torchvision):
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone

    return resnet_fpn_backbone(backbone_name="resnet18", weights=None)


add_vision("ssdlite_backbone", 128, ssdlite_backbone)
add_vision("resnet18_fpn", 64, feature_pyramid)
add_vision("raft_encoder", 64, lambda t: t.models.optical_flow.raft_small(weights=None).feature_encoder)
add_vision("r2plus1d", 16, lambda t: nn.Sequential(nn.Unflatten(1, (3, 1)), t.models.video.r2plus1d_18(weights=None, num_classes=5)))


def add_text(name, config, model, arguments, results=("last_hidden_state",), **options):
    """`arguments`: those of forward by name. `results`: those that are compared."""
    def build():
        import transformers

        torch.manual_seed(0)
        settings = getattr(transformers, config)(**options)
        inner = getattr(transformers, model)(settings).eval()
        given = arguments()
        names = list(given)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = inner

            def forward(self, *values):
                made = self.inner(**dict(zip(names, values)))
                return tuple(getattr(made, r) for r in results)

        return Model().eval(), tuple(given.values())

    ZOO[name] = build


def words(**more):
    return lambda: {"input_ids": ids(2, 9), **{k: v() for k, v in more.items()}}


def mask():
    made = torch.ones(2, 9, dtype=torch.int64)
    made[1, 6:] = 0
    return made


HIDDEN = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 100}
DECODER = {**HIDDEN, "num_key_value_heads": 2, "max_position_embeddings": 64}
LOGITS = ("logits",)
add_text("distilbert", "DistilBertConfig", "DistilBertModel", words(attention_mask=mask), dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=100)
add_text("roberta", "RobertaConfig", "RobertaForSequenceClassification", words(attention_mask=mask), LOGITS, **HIDDEN)
add_text("albert", "AlbertConfig", "AlbertModel", words(attention_mask=mask), embedding_size=16, **HIDDEN)
add_text("electra", "ElectraConfig", "ElectraModel", words(), embedding_size=16, **HIDDEN)
add_text("deberta", "DebertaV2Config", "DebertaV2Model", words(attention_mask=mask), relative_attention=True, pos_att_type=["p2c", "c2p"],
         position_buckets=8, **HIDDEN)
add_text("mpnet", "MPNetConfig", "MPNetModel", words(), **HIDDEN)
add_text("modernbert", "ModernBertConfig", "ModernBertModel", words(attention_mask=mask), pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
         sep_token_id=2, **HIDDEN)
add_text("t5", "T5Config", "T5ForConditionalGeneration", lambda: {"input_ids": ids(2, 9), "decoder_input_ids": ids(2, 5)}, LOGITS, d_model=32, d_kv=8, d_ff=64,
         num_layers=2, num_heads=4, vocab_size=100, use_cache=False)
add_text("bart", "BartConfig", "BartModel", lambda: {"input_ids": ids(2, 9), "decoder_input_ids": ids(2, 5)}, d_model=32, encoder_layers=1, decoder_layers=1,
         encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, use_cache=False)
add_text("gpt2", "GPT2Config", "GPT2LMHeadModel", words(), LOGITS, n_embd=32, n_layer=2, n_head=4, vocab_size=100, n_positions=64, use_cache=False,
         bos_token_id=1, eos_token_id=2)
add_text("gpt_neox", "GPTNeoXConfig", "GPTNeoXForCausalLM", words(), LOGITS, use_cache=False, **HIDDEN)
add_text("llama", "LlamaConfig", "LlamaForCausalLM", words(attention_mask=mask), LOGITS, use_cache=False, **DECODER)
add_text("qwen2", "Qwen2Config", "Qwen2ForCausalLM", words(), LOGITS, use_cache=False, **DECODER)
add_text("gemma", "GemmaConfig", "GemmaForCausalLM", words(), LOGITS, use_cache=False, head_dim=8, **DECODER)
add_text("phi", "PhiConfig", "PhiForCausalLM", words(), LOGITS, use_cache=False, **DECODER)
add_text("mixtral", "MixtralConfig", "MixtralForCausalLM", words(), LOGITS, use_cache=False, num_local_experts=4, **DECODER)
add_text("olmoe", "OlmoeConfig", "OlmoeForCausalLM", words(attention_mask=mask), LOGITS, use_cache=False, num_experts=8, num_experts_per_tok=2, eos_token_id=2, **DECODER)
add_text("gpt_oss", "GptOssConfig", "GptOssForCausalLM", words(), LOGITS, use_cache=False, num_local_experts=4, num_experts_per_tok=2, head_dim=8, sliding_window=8, **DECODER)
add_text("deepseek_v3", "DeepseekV3Config", "DeepseekV3ForCausalLM", words(), LOGITS, use_cache=False, n_routed_experts=8, n_group=2, topk_group=1, num_experts_per_tok=2,
         moe_intermediate_size=24, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=8,
         **{**DECODER, "num_key_value_heads": 4})
add_text("mamba", "MambaConfig", "MambaForCausalLM", words(), LOGITS, use_cache=False, hidden_size=32, state_size=4, num_hidden_layers=2, vocab_size=100)
add_text("clip_text", "CLIPTextConfig", "CLIPTextModel", words(), ("last_hidden_state", "pooler_output"), eos_token_id=2, bos_token_id=1, max_position_embeddings=16, **HIDDEN)
add_text("clip_vision", "CLIPVisionConfig", "CLIPVisionModel", lambda: {"pixel_values": image(32)}, image_size=32, patch_size=8, hidden_size=32,
         num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
add_text("whisper_encoder", "WhisperConfig", "WhisperModel", lambda: {"input_features": torch.randn(1, 16, 40), "decoder_input_ids": ids(1, 4)}, d_model=32,
         encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
         num_mel_bins=16, max_source_positions=20, vocab_size=100, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False)
add_text("wav2vec2", "Wav2Vec2Config", "Wav2Vec2Model", lambda: {"input_values": torch.randn(1, 2000)}, conv_dim=[16, 16], conv_stride=[5, 2], conv_kernel=[10, 3],
         num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, **HIDDEN)
add_text("segformer", "SegformerConfig", "SegformerForSemanticSegmentation", lambda: {"pixel_values": image(64)}, LOGITS, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
         num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=32)
add_text("dinov2", "Dinov2Config", "Dinov2Model", lambda: {"pixel_values": image(32)}, image_size=32, patch_size=8, hidden_size=32, num_hidden_layers=2, num_attention_heads=4)
