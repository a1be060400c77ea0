// The data, and figures as people read them. Text of the program goes into the page as text nodes
// only: nothing here makes markup of strings.
const data = JSON.parse(document.getElementById("data").textContent);
const text = (number) => data.strings[number];
const $ = (id) => document.getElementById(id);

// Of data.functions[i].nodes: their first number.
const OP = 0, HOST = 1, FOREIGN = 2, INPUT = 3, OUTPUT = 4;

function formatBytes(bytes) {
  if (bytes === null) return "unknown size";
  if (bytes < 1024) return bytes + " B";
  const units = ["KB", "MB", "GB", "TB", "PB", "EB"];
  let size = bytes / 1024, unit = 0;
  while (size >= 1024 && unit + 1 < units.length) { size /= 1024; ++unit; }
  return size.toFixed(1) + " " + units[unit];
}

function formatMs(ms) {
  if (ms === null || ms === undefined) return "\u2013";
  if (ms >= 100) return ms.toFixed(0) + " ms";
  if (ms >= 0.9995) return ms.toFixed(2) + " ms";
  return (ms * 1000).toPrecision(3) + " \u00b5s";
}

const formatNs = (ns) => formatMs(ns / 1e6);

function formatCount(count) {
  const units = ["", " K", " M", " G", " T", " P"];
  let unit = 0;
  while (count >= 1000 && unit + 1 < units.length) { count /= 1000; ++unit; }
  return unit ? count.toFixed(1) + units[unit] : String(count);
}

// As lib/Report/Text.cpp does it, for boxes are made that wide.
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}]/u;
function shorten(full) {
  let columns = 0, kept = "", cut = null;
  for (const character of full) {
    columns += wide.test(character) ? 2 : 1;
    if (columns > data.columns - 1 && cut === null) cut = kept;
    kept += character;
    if (columns > data.columns) return cut + "\u2026";
  }
  return full;
}

const SVG = "http://www.w3.org/2000/svg";
function svg(parent, name, attributes, content) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (content !== undefined) element.textContent = content;
  parent.appendChild(element);
  return element;
}

function html(parent, name, className, content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (content !== undefined) element.textContent = content;
  parent.appendChild(element);
  return element;
}

// What kernels are sorted and colored by, in ms.
const costOf = (kernel) => kernel.measured ?? kernel.predicted ?? 0;
const predictedOver = (predicted, measured) => (measured > 0 && predicted > 0 ? (predicted / measured).toFixed(2) : null);
const isMeasured = (fn) => fn.kernels.some((kernel) => kernel.measured !== null);
const sumOf = (fn, key) => fn.kernels.reduce((sum, kernel) => sum + (kernel[key] ?? 0), 0);

// Rows of lib/Report/Picture.cpp.
const kernelFields = ["name", "label", "ops", "in", "out", "traffic", "saved", "eliminated", "elided", "flops", "blocks", "scratch", "predicted", "measured", "layer", "like", "sent"];
const refusedFields = ["producer", "consumer", "kind", "reason", "needs", "location", "gain", "kernels", "nodes"];
const toObject = (fields) => (row) => Object.fromEntries(fields.map((field, index) => [field, row[index]]));

for (const fn of data.functions) {
  fn.kernels = fn.kernels.map(toObject(kernelFields));
  fn.refused = fn.refused.map(toObject(refusedFields));
  fn.kernels.forEach((kernel, id) => { kernel.id = id; });
  fn.maxCost = Math.max(0, ...fn.kernels.map(costOf));
  // Kernels that are alike, those first that cost most together.
  const alike = new Map();
  for (const kernel of fn.kernels) alike.set(kernel.like, [...(alike.get(kernel.like) ?? []), kernel]);
  fn.groups = [...alike.values()].map((kernels) => ({ first: kernels[0], kernels, cost: sumOf({ kernels }, "measured") || sumOf({ kernels }, "predicted") }));
  fn.groups.sort((a, b) => b.cost - a.cost || a.first.id - b.first.id);
  fn.maxGroup = Math.max(0, ...fn.groups.map((group) => group.cost));
  fn.byCost = fn.groups.flatMap((group) => group.kernels);
  // Where a launch is shown: its own box, or that of the round that stands for all.
  fn.shownAs = fn.kernels.map((kernel) => kernel.id);
  for (const [, first, period, count] of fn.overview.frames)
    for (let launch = first; launch < first + period * count; ++launch) fn.shownAs[launch] = first + (launch - first) % period;
  // Merges whose refusal costs a part of the run that is worth a look.
  const whole = sumOf(fn, "predicted");
  fn.refused.forEach((edge) => { edge.isDear = edge.gain !== null && whole > 0 && edge.gain / 1e6 >= 0.01 * whole; });
  fn.membersOf = fn.kernels.map(() => []);
  fn.members.forEach(([node, launch], index) => fn.membersOf[launch].push(index));
}
