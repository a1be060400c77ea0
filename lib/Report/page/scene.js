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

// In the overview the time of a round's kernel is the mean of all rounds.
function timeOf(fn, view, kernel) {
  const alike = view === "overview" ? fn.kernels.filter((other) => fn.shownAs[other.id] === kernel.id) : [kernel];
  const known = alike.filter((other) => other.measured !== null || other.predicted !== null);
  return known.length ? formatMs(known.reduce((sum, other) => sum + costOf(other), 0) / known.length) : "";
}

function drawKernel(parent, box, fn, kernel, view) {
  const [x, y, width, height] = box;
  const group = svg(parent, "g", { class: "kernel" });
  svg(group, "rect", { class: "frame", x, y, width, height, rx: 9 });
  svg(group, "path", { class: "head", d: `M${x},${y + 26}V${y + 9}q0,-9 9,-9H${x + width - 9}q9,0 9,9V${y + 26}Z` });
  const what = text(kernel.label) === "host" ? "host " : "kernel ";
  const title = svg(group, "text", { class: "title", x: x + 11, y: y + 18 });
  svg(title, "tspan", {}, what + kernel.id);
  if (view === "after") svg(title, "tspan", { class: "pattern", dx: 8 }, text(kernel.label));
  svg(group, "text", { class: "time", x: x + width - 11, y: y + 18 }, timeOf(fn, view, kernel));
  return group;
}

// Its name and its time over the whole box, for when all else is too small to read.
function drawBig(group, box, name, time, most) {
  const [x, y, width, height] = box, lines = time ? [name, time] : [name];
  const size = Math.min(height / (1.15 * lines.length + 0.3), (width - 12) / (0.72 * Math.max(...lines.map((line) => line.length))), most);
  const big = svg(group, "text", { class: "big", "font-size": size });
  lines.forEach((line, index) => svg(big, "tspan", { x: x + width / 2, y: y + height / 2 + (index - (lines.length - 1) / 2) * 1.15 * size }, line));
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

// A value that comes from far away.
function drawTag(parent, tag) {
  const [, , , [x, y, width, height], label, isCarried] = tag;
  const group = svg(parent, "g", { class: isCarried ? "tag carried" : "tag" });
  svg(group, "rect", { x, y, width, height, rx: height / 2 });
  svg(group, "text", { x: x + width / 2, y: y + height / 2 + 4, "text-anchor": "middle" }, text(label));
  return group;
}

// One round of layers that repeat, with what all of them take.
function drawFrame(parent, fn, frame) {
  const [[x, y, width, height], first, period, count, title] = frame;
  const group = svg(parent, "g", { class: "repeat" });
  svg(group, "rect", { x, y, width, height, rx: 14 });
  svg(group, "text", { class: "repeat-title", x: x + 14, y: y + 24 }, text(title));
  return group;
}

// Where lines and refused merges meet: by the numbers of both ends.
function endsOf(fn, view, refused) {
  if (view === "before") return refused.nodes;
  const shown = (kernel) => (view === "overview" ? fn.shownAs[kernel] : kernel);
  return refused.kernels.map((kernel, i) => (kernel !== null ? shown(kernel) : refused.nodes[i] === null ? null : fn.kernels.length + refused.nodes[i]));
}

function addRefused(scene, fn) {
  const byEnds = new Map(scene.lines.map((entry) => [entry.line[0] + ">" + entry.line[1], entry]));
  fn.refused.forEach((refused, index) => {
    const ends = endsOf(fn, scene.name, refused);
    const entry = byEnds.get(ends.join(">"));
    if (!entry) return;
    if (refused.isDear && !entry.isTag && !entry.isDear) {
      entry.isDear = true;
      entry.element.insertBefore(svg(entry.element, "path", { class: "no " + text(refused.kind), d: pathOf(entry.line[3]) }),
                                 entry.element.querySelector(".plate, .label"));
    } else if (refused.isDear && !entry.isDear) {
      entry.isDear = true;
      entry.element.classList.add("dear", text(refused.kind));
    }
    entry.refused.push(index);
    scene.lineOfRefused.set(index, entry);
  });
}

function drawScene(fn, name) {
  const view = fn[name];
  const root = document.createElementNS(SVG, "g");
  const scene = { name, root, view, boxes: [], members: [], lines: [], lineOfRefused: new Map() };
  for (const frame of view.frames) drawFrame(root, fn, frame);
  const lines = svg(root, "g", {}), boxes = svg(root, "g", {}), labels = svg(root, "g", {});
  for (const line of view.lines) {
    const entry = { line, refused: [], element: null };
    scene.lines.push(entry);
    if (line[3].length < 8) { entry.element = svg(lines, "g", { class: "line" }); continue; }
    entry.element = drawLine(lines, line);
    entry.element.dataset.line = scene.lines.length - 1;
  }
  view.boxes.forEach((box, index) => {
    if (!box) { scene.boxes.push(scene.boxes[fn.shownAs[index]] ?? null); return; }
    const isKernel = name !== "before" && index < fn.kernels.length;
    const node = name === "before" ? index : index - fn.kernels.length;
    const element = isKernel ? drawKernel(boxes, box, fn, fn.kernels[index], name) : drawOp(boxes, box, fn.nodes[node], false);
    element.dataset.box = index;
    if (!isKernel) drawBig(element, box, shorten(text(fn.nodes[node][1])), "", 26);
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
  for (const [box, role, line, x, y] of view.texts)
    svg(scene.boxes[box], "text", { class: ["pattern-line", "layer", "ops"][role], x, y }, text(line));
  for (const tag of view.tags) {
    const entry = { line: tag, refused: [], element: drawTag(scene.boxes[tag[1]], tag), isTag: true };
    scene.lines.push(entry);
    entry.element.dataset.line = scene.lines.length - 1;
  }
  addRefused(scene, fn);
  if (name !== "before")
    fn.kernels.forEach((kernel, index) => { if (view.boxes[index]) drawBig(scene.boxes[index], view.boxes[index], kernelTitle(kernel), timeOf(fn, name, kernel), 90); });
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
  if (scene.name !== "before") {
    fn.kernels.forEach((kernel, index) => {
      if (!scene.view.boxes[index]) return;
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

const rectOf = (fn, scene, index) => scene.view.boxes[index] ?? scene.view.boxes[fn.shownAs[index]];
