// Colors that people who see few colors can tell apart: labels after Okabe and Ito, and a ramp whose
// lightness alone tells the order.
const labelColors = {
  "conv-bn-relu": "#0072b2", "matmul-add-activation": "#e69f00", "elementwise-chain": "#009e73",
  "attention": "#cc79a7", "layernorm-linear": "#56b4e9", "row-reduction": "#f0e442",
  "contraction": "#d55e00",
  "conv-bn-relu-pool": "#56a0d3", "bottleneck": "#004d7a", "attention-projection": "#9a5080", "copy": "#8c96a5", "host": "#5b4b8a", "other": "#b9c0cb",
};
const ramps = {
  light: ["#fdf3dc", "#fcd48c", "#f3a04c", "#d2622f", "#8c2b22"],
  dark: ["#33302f", "#6b4528", "#ad642b", "#ec9d45", "#ffe2a0"],
};

const isDark = () => document.documentElement.dataset.theme === "dark";

function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

function mixRamp(part) {
  const ramp = ramps[isDark() ? "dark" : "light"];
  const at = Math.min(1, Math.max(0, part)) * (ramp.length - 1), index = Math.min(Math.floor(at), ramp.length - 2);
  const low = channels(ramp[index]), high = channels(ramp[index + 1]);
  return "#" + low.map((value, i) => Math.round(value + (high[i] - value) * (at - index)).toString(16).padStart(2, "0")).join("");
}

function colorOf(fn, kernel) {
  if (state.color === "label") return labelColors[text(kernel.label)] ?? labelColors.other;
  // The root keeps small kernels apart.
  return mixRamp(fn.maxCost > 0 ? Math.sqrt(costOf(kernel) / fn.maxCost) : 0);
}

// Black or white, whichever reads better on a color.
function inkOn(color) {
  const [red, green, blue] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.25 ? "#161b24" : "#ffffff";
}

function drawLegend(fn) {
  const legend = $("legend");
  legend.replaceChildren();
  const key = (color, name) => {
    const line = html(legend, "div", "key");
    html(line, "i").style.background = color;
    html(line, "span", "", name);
  };
  if (state.color === "cost") {
    html(legend, "h4", "", isMeasured(fn) ? "Measured time of a kernel" : "Predicted time of a kernel");
    const stops = [0, 0.25, 0.5, 0.75, 1].map(mixRamp), scale = html(legend, "div", "scale");
    html(scale, "span", "", "0");
    html(scale, "div", "ramp").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    html(scale, "span", "", formatMs(fn.maxCost));
  } else {
    html(legend, "h4", "", "Pattern of a kernel");
    const present = new Set(fn.kernels.map((kernel) => text(kernel.label)));
    for (const label of present) key(labelColors[label] ?? labelColors.other, label);
  }
  if (fn.refused.some((edge) => edge.isDear) && state.refused) {
    html(legend, "h4", "", "Refused merges of 1 % or more");
    const names = { price: "would not pay", legality: "cannot be", request: "not asked for" };
    const present = new Set(fn.refused.filter((edge) => edge.isDear).map((edge) => text(edge.kind)));
    for (const kind of Object.keys(names)) {
      if (!present.has(kind)) continue;
      const line = html(legend, "div", "key");
      svg(svg(line, "svg", { viewBox: "0 0 26 8" }), "path", { class: "no " + kind, d: "M1,4L25,4" });
      html(line, "span", "", names[kind]);
    }
  }
}
