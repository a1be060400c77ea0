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
  if (ms >= 1) return ms.toFixed(2) + " ms";
  return (ms * 1000).toPrecision(3) + " \u00b5s";
}

const formatNs = (ns) => formatMs(ns / 1e6);

function formatCount(count) {
  const units = ["", " K", " M", " G", " T", " P"];
  let unit = 0;
  while (count >= 1000 && unit + 1 < units.length) { count /= 1000; ++unit; }
  return unit ? count.toFixed(1) + units[unit] : String(count);
}

// As lib/Report/PictureText.cpp does it, for boxes are made that wide.
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
const isMeasured = (fn) => fn.kernels.some((kernel) => kernel.measured !== null);
const sumOf = (fn, key) => fn.kernels.reduce((sum, kernel) => sum + (kernel[key] ?? 0), 0);

// Rows of lib/Report/Picture.cpp.
const kernelFields = ["name", "label", "ops", "in", "out", "traffic", "saved", "eliminated", "elided", "flops", "blocks", "scratch", "predicted", "measured"];
const refusedFields = ["producer", "consumer", "kind", "reason", "needs", "location", "gain", "kernels", "nodes"];
const toObject = (fields) => (row) => Object.fromEntries(fields.map((field, index) => [field, row[index]]));

for (const fn of data.functions) {
  fn.kernels = fn.kernels.map(toObject(kernelFields));
  fn.refused = fn.refused.map(toObject(refusedFields));
  fn.kernels.forEach((kernel, id) => { kernel.id = id; });
  fn.maxCost = Math.max(0, ...fn.kernels.map(costOf));
  fn.byCost = [...fn.kernels].sort((a, b) => costOf(b) - costOf(a) || a.id - b.id);
  fn.membersOf = fn.kernels.map(() => []);
  fn.members.forEach(([node, launch], index) => fn.membersOf[launch].push(index));
}
