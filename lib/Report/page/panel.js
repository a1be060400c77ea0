// The side panel: lists of kernels and refused merges, and what is known of the one that was picked.

function kernelTitle(kernel) {
  return (text(kernel.label) === "host" ? "host " : "kernel ") + kernel.id;
}

const opsOf = (kernel) => kernel.ops.map(text).join(", ");
// The first ops, and how many more there are.
function firstOpsOf(kernel) {
  const ops = kernel.ops.map(text);
  let count = 1, length = ops[0].length;
  while (count < ops.length && length + ops[count].length < 100) length += ops[count++].length + 2;
  return ops.slice(0, count).join(", ") + (count < ops.length ? `, and ${ops.length - count} more` : "");
}

// A prediction beside a measurement is a ratio; alone it is a time.
const ratioOf = (kernel) => (kernel.measured === null ? null : predictedOver(kernel.predicted, kernel.measured));
function timesOf(kernel) {
  if (kernel.measured === null) return kernel.predicted === null ? "time unknown" : formatMs(kernel.predicted) + " predicted";
  const ratio = ratioOf(kernel);
  return formatMs(kernel.measured) + " measured" + (ratio ? `, predicted / measured ${ratio}` : "");
}

function fillFigures(fn) {
  const figures = $("figures");
  figures.replaceChildren();
  const add = (value, name, isBold = true) => {
    const box = html(figures, "div");
    html(box, isBold ? "b" : "i", "", value);
    html(box, "span", "", name);
  };
  $("model").textContent = text(data.model) || "fuse";
  add(`${fn.original} \u2192 ${fn.fused}`, "kernels");
  const predicted = sumOf(fn, "predicted"), measured = sumOf(fn, "measured");
  if (isMeasured(fn)) {
    add(formatMs(fn.run ?? measured), "measured");
    const both = { kernels: fn.kernels.filter((kernel) => kernel.measured !== null && kernel.predicted !== null) };
    const ratio = predictedOver(sumOf(both, "predicted"), sumOf(both, "measured"));
    if (ratio) add(ratio, "predicted / measured", false);
  } else if (predicted > 0) {
    add(formatMs(predicted), `predicted for ${text(fn.target)}`, false);
  }
  if (data.threads !== null) add(data.threads, data.threads === 1 ? "thread" : "threads");
  if (fn.grid.length) add(fn.grid.join("\u00d7"), "processes");
  if (fn.grid.length) add(formatBytes(sumOf(fn, "sent")), "sent by each", false);
  if (text(data.cpu)) add(text(data.cpu), "CPU", false);
  figures.title = `${formatBytes(fn.saved)} of memory saved; traffic ${formatBytes(fn.traffic[0])} \u2192 ${formatBytes(fn.traffic[1])}`;
}

// A row for kernels that are alike.
function fillKernels(fn) {
  const list = $("kernels"), whole = fn.run ?? sumOf(fn, "measured");
  list.replaceChildren();
  fn.kernelRows = [];
  for (const { first, kernels, cost } of fn.groups) {
    const row = html(list, "div", "row");
    row.dataset.kernel = first.id;
    html(row, "i");
    const what = html(row, "div", "what");
    html(what, "b", "", kernelTitle(first) + (kernels.length > 1 ? ` \u00d7 ${kernels.length}` : ""));
    const time = html(row, "div", "ms", cost > 0 ? formatMs(cost) : "\u2013");
    if (isMeasured(fn) && whole > 0) html(time, "span", "", `  ${(100 * cost / whole).toFixed(1)} %`);
    const bar = html(html(row, "div", "bar"), "div");
    bar.style.width = (fn.maxGroup > 0 ? 100 * cost / fn.maxGroup : 0).toFixed(1) + "%";
    html(row, "div", "sub label-of", text(first.label));
    if (text(first.layer)) html(row, "div", "sub", text(first.layer) + (kernels.length > 1 ? `, and ${kernels.length - 1} more` : ""));
    html(row, "div", "sub", firstOpsOf(first));
    for (const kernel of kernels) fn.kernelRows[kernel.id] = row;
  }
  paintKernels(fn);
}

function paintKernels(fn) {
  for (const { first: kernel } of fn.groups) {
    const color = colorOf(fn, kernel), row = fn.kernelRows[kernel.id];
    row.firstChild.style.background = color;
    row.querySelector(".bar div").style.background = color;
  }
}

// The rows of refused merges are made when they are first needed: there may be thousands.
function rowsOfRefused(fn) {
  if (!fn.refusedRows) fillRefused(fn);
  return fn.refusedRows;
}

function sortRefused(fn) {
  $("refused").replaceChildren();
  fn.refusedRows = null;
  const order = fn.refused.map((_, index) => index);
  order.sort((a, b) => (fn.refused[b].gain ?? -1) - (fn.refused[a].gain ?? -1) || a - b);
  fn.refusedByGain = order;
}

function fillRefused(fn) {
  const list = $("refused");
  fn.refusedRows = [];
  for (const index of fn.refusedByGain) {
    const edge = fn.refused[index], row = html(list, "div", "row");
    row.dataset.refused = index;
    const mark = svg(html(row, "span"), "svg", { viewBox: "0 0 14 8", width: 14, height: 8 });
    svg(mark, "path", { class: "no " + text(edge.kind), d: "M0,4L14,4", style: "stroke-dasharray:4 3" });
    html(row, "div", "what").append(text(edge.producer) + " \u2192 " + text(edge.consumer));
    html(row, "div", "ms", edge.gain === null ? "" : formatNs(edge.gain));
    html(row, "div", "sub", text(edge.reason));
    fn.refusedRows[index] = row;
  }
}

function showTab(name) {
  state.tab = name;
  if (name === "refused") rowsOfRefused(state.fn);
  for (const tab of ["kernels", "refused"]) {
    $(tab).hidden = tab !== name;
    $("tab-" + tab).classList.toggle("on", tab === name);
    $("tab-" + tab).setAttribute("aria-selected", tab === name);
  }
}

function fillTabs(found) {
  const count = (total, part) => (part === null ? `(${total})` : `(${part} of ${total})`);
  $("tab-kernels").textContent = "Kernels " + count(state.fn.kernels.length, found ? found.kernels.length : null);
  $("tab-refused").textContent = "Refused merges " + count(state.fn.refused.length, found ? found.refused.length : null);
}

function startDetails(title) {
  const details = $("details");
  details.replaceChildren();
  details.hidden = false;
  details.scrollTop = 0;
  const close = html(details, "button", "close", "\u00d7");
  close.title = "Close (Esc)";
  close.addEventListener("click", () => pick(null));
  html(details, "h3", "", title);
  return details;
}

function addTable(parent, rows) {
  const table = html(parent, "table");
  for (const cells of rows) {
    if (cells[1] === null || cells[1] === undefined) continue;
    const line = html(table, "tr");
    cells.forEach((cell, index) => html(line, "td", index === 2 ? "number" : "", cell));
  }
}

function addLink(parent, name, target) {
  const link = html(parent, "button", "link", name);
  link.addEventListener("click", () => { pick(target); showPicked(); });
  return link;
}

function addValues(parent, title, numbers) {
  if (!numbers.length) return;
  html(parent, "h4", "", title);
  addTable(parent, numbers.map((number) => {
    const [name, type, bytes, isParam] = state.fn.values[number];
    return [text(name) || (isParam ? "constant" : "value"), text(type), formatBytes(bytes)];
  }));
}

function describeKernel(kernel) {
  const fn = state.fn, details = startDetails(kernelTitle(kernel) + ": " + text(kernel.label));
  const percent = (key, total) => (total > 0 ? ` (${(100 * kernel[key] / total).toFixed(1)} %)` : "");
  addTable(details, [
    ["layer", text(kernel.layer).replaceAll("/", "/\u200b") || null], // may be broken at slashes
    ["measured", kernel.measured === null ? null : formatMs(kernel.measured) + percent("measured", fn.run ?? sumOf(fn, "measured"))],
    ["predicted / measured", ratioOf(kernel)],
    ["predicted", kernel.measured !== null ? null : kernel.predicted === null ? "unknown" : formatMs(kernel.predicted) + percent("predicted", sumOf(fn, "predicted"))],
    ["traffic", formatBytes(kernel.traffic)],
    ["sent to other processes", kernel.sent === null ? null : formatBytes(kernel.sent)],
    ["memory saved", `${formatBytes(kernel.saved)}, ${kernel.elided} values, ${kernel.eliminated} buffers`],
    ["operations", kernel.flops === null ? null : formatCount(kernel.flops)],
    ["blocks", kernel.blocks], ["scratch of a block", kernel.scratch === null ? null : formatBytes(kernel.scratch)],
    ["name", text(kernel.name)],
  ]);
  html(details, "h4", "", `Ops (${kernel.ops.length})`);
  for (const member of fn.membersOf[kernel.id]) {
    const node = fn.nodes[fn.members[member][0]], row = html(details, "div", "op-row");
    html(row, "span", "", text(node[1]));
    html(row, "span", "", text(node[2]));
    if (text(node[3])) html(details, "div", "at", text(node[3]));
  }
  const others = fn.kernels.filter((other) => other.like === kernel.like && other !== kernel);
  if (others.length) html(details, "h4", "", `Like it (${others.length})`);
  const line = others.length ? html(details, "p") : null;
  others.slice(0, 80).forEach((other, index) => { if (index) line.append(", "); addLink(line, kernelTitle(other), { kernel: other.id }); });
  addValues(details, "Reads", kernel.in);
  addValues(details, "Writes", kernel.out);
  const refused = fn.refusedByGain.filter((index) => fn.refused[index].kernels.includes(kernel.id));
  if (refused.length) html(details, "h4", "", `Not merged with (${refused.length})`);
  for (const index of refused.slice(0, 60)) {
    const edge = fn.refused[index], line = html(details, "p");
    const other = edge.kernels[0] === kernel.id ? edge.kernels[1] : edge.kernels[0];
    addLink(line, other === null ? text(edge.producer) + " \u2192 " + text(edge.consumer) : kernelTitle(fn.kernels[other]), { refused: index });
    line.append(": " + text(edge.reason));
  }
}

function describeRefused(index) {
  const fn = state.fn, edge = fn.refused[index];
  const details = startDetails(text(edge.producer) + " \u2192 " + text(edge.consumer));
  const where = html(details, "p", "", "Not merged: ");
  edge.kernels.forEach((kernel, i) => {
    if (i) where.append(" and ");
    if (kernel === null) where.append("an op outside of kernels");
    else addLink(where, kernelTitle(fn.kernels[kernel]), { kernel });
  });
  html(details, "p", text(edge.kind), text(edge.reason));
  addTable(details, [
    ["would be allowed by", text(edge.needs) || "nothing"],
    ["gain", edge.gain === null ? "not asked for" : formatNs(edge.gain) + " of launches and traffic"],
    ["kind", text(edge.kind)],
    ["where", text(edge.location)],
  ]);
}

function describeNode(index) {
  const fn = state.fn, node = fn.nodes[index], details = startDetails(text(node[1]));
  addTable(details, [["what", ["an op", "an op on the host", "an op of another dialect", "an argument", "a result"][node[0]]],
                     ["type", text(node[2])], ["where", text(node[3]) || null]]);
  const launches = [...new Set(fn.members.filter(([at]) => at === index).map(([, launch]) => launch))];
  if (!launches.length) return;
  const line = html(details, "p", "", "In ");
  launches.forEach((launch, i) => {
    if (i) line.append(", ");
    addLink(line, kernelTitle(fn.kernels[launch]), { kernel: launch });
  });
}

function showTip(event, fill) {
  const tip = $("tip");
  tip.replaceChildren();
  fill(tip);
  tip.hidden = false;
  const stage = $("stage").getBoundingClientRect(), box = tip.getBoundingClientRect();
  const x = event.clientX - stage.left, y = event.clientY - stage.top;
  tip.style.left = Math.max(4, Math.min(x + 14, stage.width - box.width - 6)) + "px";
  tip.style.top = Math.max(4, y + 16 + box.height > stage.height ? y - box.height - 10 : y + 16) + "px";
}

function describeLine(tip, entry) {
  const fn = state.fn, numbers = entry.line[2];
  for (const number of numbers.slice(0, 8)) {
    const [name, type, bytes] = fn.values[number];
    html(tip, "b", "", (text(name) ? text(name) + ": " : "") + text(type) + ", " + formatBytes(bytes));
  }
  if (numbers.length > 8) html(tip, "div", "", `and ${numbers.length - 8} more values`);
  if (entry.isTag) html(tip, "div", "", (entry.line[5] ? "From the round before, by " : "From ") + text(entry.line[4]).slice(2));
  for (const index of entry.refused.slice(0, 3)) {
    const edge = fn.refused[index], why = html(tip, "div", "why");
    html(why, "div", text(edge.kind), `Not merged: ${text(edge.reason)}`);
    if (edge.gain !== null) html(why, "div", "", "Gain: " + formatNs(edge.gain));
    if (text(edge.needs)) html(why, "div", "", "Would be allowed by " + text(edge.needs));
  }
  if (entry.refused.length > 3) html(tip, "div", "why", `and ${entry.refused.length - 3} more reasons`);
}
