"""The language server knows the dialect: a good file has no diagnostics, a bad one has an error.

usage: language_server_test.py FUSE_LSP_SERVER
"""
import json
import subprocess
import sys

GOOD = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
       "  %0 = fuse.unary relu %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
BAD = GOOD.replace("relu", "rely")


def message(method, params, number=None):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    text = json.dumps(body)
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


def diagnostics(server, text):
    talk = message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 0)
    talk += message("textDocument/didOpen", {"textDocument": {
        "uri": "test:///f.mlir", "languageId": "mlir", "version": 1, "text": text}})
    talk += message("shutdown", None, 1) + message("exit", None)
    out = subprocess.run([server], input=talk, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, timeout=60).stdout
    decoder, found, start = json.JSONDecoder(), None, 0
    while (start := out.find("{", start)) >= 0:
        answer, start = decoder.raw_decode(out, start)
        if answer.get("method") == "textDocument/publishDiagnostics":
            found = answer["params"]["diagnostics"]
    return found


def main(server):
    good, bad = diagnostics(server, GOOD), diagnostics(server, BAD)
    if good != []:
        sys.exit(f"expected no diagnostics, found {good}")
    if not bad or "rely" not in json.dumps(bad) and "kind" not in json.dumps(bad).lower():
        sys.exit(f"expected a diagnostic about the kind, found {bad}")


if __name__ == "__main__":
    main(*sys.argv[1:])
