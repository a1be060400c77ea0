// Draws a view: boxes, their members, lines. Elements are kept by what they show, for search and
// selection to find.

function pathOf(points) {
  let d = `M${points[0]},${points[1]}`;
  for (let i = 2; i + 5 < points.length; i += 6)
    d += `C${points[i]},${points[i + 1]} ${points[i + 2]},${points[i + 3]} ${points[i + 4]},${points[i + 5]}`;
  return d;
}

function drawOp(parent, box, node, isMember) {
  const [x, y, width, height] = box;
  const group = svg(parent, "g", { class: isMember ? "member" : "loose" });
  svg(group, "rect", { x, y, width, height, rx: isMember ? 5 : node[0] >= INPUT ? height / 2 : 7 });
  const op = shorten(text(node[1])), type = shorten(text(node[2]));
  if (isMember) {
    svg(group, "text", { class: "op", x: x + 10, y: y + height / 2 + 4 }, op);
    svg(group, "text", { class: "type", x: x + width - 10, y: y + height / 2 + 4, "text-anchor": "end" }, type);
  } else {
    const middle = { x: x + width / 2, "text-anchor": "middle" };
    svg(group, "text", { class: "op", ...middle, y: y + (type ? 16 : 23) }, op);
    if (type) svg(group, "text", { class: "type", ...middle, y: y + 30 }, type);
  }
  return group;
}

function drawKernel(parent, box, fn, kernel) {
  const [x, y, width, height] = box;
  const group = svg(parent, "g", { class: "kernel" });
  svg(group, "rect", { class: "frame", x, y, width, height, rx: 9 });
  svg(group, "path", { class: "head", d: `M${x},${y + 26}V${y + 9}q0,-9 9,-9H${x + width - 9}q9,0 9,9V${y + 26}Z` });
  const what = text(kernel.label) === "host" ? "host " : "kernel ";
  const title = svg(group, "text", { class: "title", x: x + 11, y: y + 18 });
  svg(title, "tspan", {}, what + kernel.id);
  svg(title, "tspan", { class: "pattern", dx: 8 }, text(kernel.label));
  svg(group, "text", { class: "time", x: x + width - 11, y: y + 18 },
      kernel.measured === null && kernel.predicted === null ? "" : formatMs(costOf(kernel)));
  return group;
}

// A number over the whole box, for when titles are too small to read.
function drawBig(group, box, kernel) {
  const [x, y, width, height] = box;
  svg(group, "text", { class: "big", x: x + width / 2, y: y + height / 2, "font-size": Math.max(14, Math.min(height * 0.7, width * 0.3, 120)) }, kernel.id);
}

function drawLine(parent, line) {
  const [, , values, points, label, x, y, size] = line, isPlaced = size > 0;
  const group = svg(parent, "g", { class: isPlaced ? "line placed" : "line" });
  const d = pathOf(points);
  const bytes = values.reduce((sum, value) => sum + (state.fn.values[value][2] ?? 0), 0);
  const width = (1.2 + Math.min(4, Math.log2(1 + bytes / 65536) * 0.4)).toFixed(1);
  svg(group, "path", { class: "edge", d, "stroke-width": width, "marker-end": "url(#arrow)" });
  svg(group, "path", { class: "grip", d });
  if (isPlaced) svg(group, "rect", { class: "plate", x: x - size / 2, y: y - 7, width: size, height: 14, rx: 4 });
  svg(group, "text", { class: "label", x, y }, text(label));
  return group;
}

// Where lines and refused merges meet: by the numbers of both ends.
function endsOf(fn, view, refused) {
  if (view === "before") return refused.nodes;
  return refused.kernels.map((kernel, i) => kernel ?? (refused.nodes[i] === null ? null : fn.kernels.length + refused.nodes[i]));
}

function addRefused(scene, fn) {
  const byEnds = new Map(scene.lines.map((entry) => [entry.line[0] + ">" + entry.line[1], entry]));
  fn.refused.forEach((refused, index) => {
    const ends = endsOf(fn, scene.name, refused);
    const entry = byEnds.get(ends.join(">"));
    if (!entry) return;
    if (!entry.refused.length)
      entry.element.insertBefore(svg(entry.element, "path", { class: "no " + text(refused.kind), d: pathOf(entry.line[3]) }),
                                 entry.element.querySelector(".plate, .label"));
    entry.refused.push(index);
    scene.lineOfRefused.set(index, entry);
  });
}

function drawScene(fn, name) {
  const view = fn[name];
  const root = document.createElementNS(SVG, "g");
  const scene = { name, root, view, boxes: [], members: [], lines: [], lineOfRefused: new Map() };
  const lines = svg(root, "g", {}), boxes = svg(root, "g", {}), labels = svg(root, "g", {});
  for (const line of view.lines) {
    const entry = { line, refused: [], element: null };
    scene.lines.push(entry);
    if (line[3].length < 8) { entry.element = svg(lines, "g", { class: "line" }); continue; }
    entry.element = drawLine(lines, line);
    entry.element.dataset.line = scene.lines.length - 1;
  }
  addRefused(scene, fn);
  view.boxes.forEach((box, index) => {
    if (!box) { scene.boxes.push(null); return; }
    const isKernel = name === "after" && index < fn.kernels.length;
    const node = name === "after" ? index - fn.kernels.length : index;
    const element = isKernel ? drawKernel(boxes, box, fn, fn.kernels[index]) : drawOp(boxes, box, fn.nodes[node], false);
    element.dataset.box = index;
    if (!isKernel) element.classList.add(["own", "on-host", "foreign", "io", "io"][fn.nodes[node][0]]);
    scene.boxes.push(element);
  });
  view.inner.forEach(([from, , , points]) => {
    svg(scene.boxes[fn.members[from][1]], "path", { class: "inner", d: pathOf(points), "marker-end": "url(#arrow)" });
  });
  view.members.forEach((box, index) => {
    const [node, launch] = fn.members[index];
    const element = drawOp(scene.boxes[launch], box, fn.nodes[node], true);
    element.dataset.member = index;
    scene.members.push(element);
  });
  if (name === "after")
    fn.kernels.forEach((kernel, index) => drawBig(scene.boxes[index], view.boxes[index], kernel));
  root.appendChild(labels);
  return scene;
}

// The launches that an op of the view before went to.
function launchesOfNode(fn) {
  const launches = fn.nodes.map(() => []);
  for (const [node, launch] of fn.members) launches[node].push(launch);
  return launches;
}

function paintScene(scene, fn) {
  if (scene.name === "after") {
    fn.kernels.forEach((kernel, index) => {
      const color = colorOf(fn, kernel), style = scene.boxes[index].style;
      style.setProperty("--own", color);
      style.setProperty("--own-ink", inkOn(color));
    });
    return;
  }
  const launches = launchesOfNode(fn);
  scene.boxes.forEach((element, node) => {
    if (!launches[node].length) return;
    element.style.setProperty("--own", colorOf(fn, fn.kernels[launches[node][0]]));
  });
}

// The rectangle around some boxes: [x, y, width, height].
function boundsOf(boxes) {
  const left = Math.min(...boxes.map((box) => box[0])), top = Math.min(...boxes.map((box) => box[1]));
  return [left, top, Math.max(...boxes.map((box) => box[0] + box[2])) - left, Math.max(...boxes.map((box) => box[1] + box[3])) - top];
}
