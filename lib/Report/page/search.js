// Search: every word has to occur somewhere in what is known of a kernel, a refused merge or a node.

function indexFunction(fn) {
  const low = (parts) => parts.join("\n").toLowerCase();
  fn.nodeWords = fn.nodes.map((node) => low([text(node[1]), text(node[2]), text(node[3])]));
  fn.kernelWords = fn.kernels.map((kernel) => low([
    kernelTitle(kernel), text(kernel.name), text(kernel.label), text(kernel.layer), ...kernel.ops.map(text),
    ...fn.membersOf[kernel.id].map((member) => fn.nodeWords[fn.members[member][0]]),
    ...[...kernel.in, ...kernel.out].map((value) => text(fn.values[value][0])),
  ]));
  fn.refusedWords = fn.refused.map((edge) => low([
    text(edge.producer) + " \u2192 " + text(edge.consumer), text(edge.reason), text(edge.needs), text(edge.location), text(edge.kind),
    ...edge.kernels.filter((kernel) => kernel !== null).map((kernel) => kernelTitle(fn.kernels[kernel])),
    ...edge.nodes.filter((node) => node !== null).map((node) => fn.nodeWords[node]),
  ]));
}

// "kernel 1" means that kernel, not 10 to 19 as well.
function makeTest(query) {
  const low = query.trim().toLowerCase();
  const exact = /^(kernel|host) \d+$/.test(low) ? new RegExp("(^|\\n)" + low + "($|\\n)") : null;
  const words = low.split(/\s+/).filter((word) => word);
  return (haystack) => (exact ? exact.test(haystack) : words.every((word) => haystack.includes(word)));
}

function find(query) {
  const fn = state.fn, test = makeTest(query);
  const pickAll = (list) => list.flatMap((words, index) => (test(words) ? [index] : []));
  return { kernels: pickAll(fn.kernelWords), refused: pickAll(fn.refusedWords), nodes: pickAll(fn.nodeWords) };
}

// The boxes of the view that a result stands for.
function hitBoxes(found) {
  const fn = state.fn, scene = state.scene, hits = new Set();
  const base = scene.name === "before" ? 0 : fn.kernels.length;
  for (const node of found.nodes) if (scene.boxes[base + node]) hits.add(base + node);
  // Where ops have the words themselves, the rest of their kernels is not meant.
  const isMeant = scene.name !== "before" || !found.nodes.length;
  for (const kernel of isMeant ? found.kernels : []) {
    if (scene.name !== "before") hits.add(scene.name === "overview" ? fn.shownAs[kernel] : kernel);
    else fn.membersOf[kernel].forEach((member) => hits.add(fn.members[member][0]));
  }
  return hits;
}

function clearHits() {
  state.hitBoxes = null;
  for (const element of state.hits ?? []) element.classList.remove("hit");
  state.hits = [];
}

function mark(element) {
  if (!element) return;
  element.classList.add("hit");
  state.hits.push(element);
}

// All results if they can be read then, else the first.
function showHits(rects) {
  const all = boundsOf(rects), [width, height] = stageSize();
  const scale = Math.min((width - 60) / all[2], (height - 60) / all[3]);
  if (scale >= 0.4) { showRect(all, 1.1); return; }
  const first = rects.reduce((best, rect) => (rect[1] < best[1] ? rect : best));
  showRect(first, 1);
}

function search(query, moves = true) {
  const fn = state.fn, scene = state.scene;
  clearHits();
  state.query = query;
  const isOn = query.trim() !== "";
  $("canvas").classList.toggle("searching", isOn);
  $("matches").hidden = !isOn;
  const found = isOn ? find(query) : null;
  state.found = found;
  fillTabs(found);
  const kernels = found && new Set(found.kernels), refused = found && new Set(found.refused);
  for (const group of fn.groups) fn.kernelRows[group.first.id].hidden = found !== null && !group.kernels.some((kernel) => kernels.has(kernel.id));
  rowsOfRefused(fn).forEach((row, index) => { row.hidden = found !== null && !refused.has(index); });
  if (!found) {
    drawMap();
    return { kernels: [], refused: [] };
  }
  const boxes = hitBoxes(found), nodes = new Set(found.nodes);
  for (const box of boxes) mark(scene.boxes[box]);
  state.hitBoxes = boxes;
  scene.members.forEach((element, index) => { if (nodes.has(fn.members[index][0])) mark(element); });
  const rects = [...boxes].map((box) => rectOf(fn, scene, box));
  for (const index of found.refused) {
    const entry = scene.lineOfRefused.get(index);
    if (!entry) continue;
    mark(entry.element);
    if (!boxes.size) rects.push(rectOf(fn, scene, entry.line[0]), rectOf(fn, scene, entry.line[1]));
  }
  $("matches").textContent = found.kernels.length + found.refused.length + found.nodes.length
    ? `${found.kernels.length} kernels, ${found.refused.length} refused merges, ${found.nodes.length} ops. Enter: next`
    : "Nothing has all of these words.";
  if (found.kernels.length === 0 && found.refused.length > 0) showTab("refused");
  else if (found.kernels.length > 0 && found.refused.length === 0) showTab("kernels");
  if (moves && rects.length) showHits(rects);
  state.next = -1;
  return found;
}

// Enter goes from one result to the next, in the order of the panel.
function showNext(step) {
  if (!state.found) return;
  const fn = state.fn, kernels = new Set(state.found.kernels), refused = new Set(state.found.refused);
  const results = state.tab === "kernels" ? fn.byCost.filter((kernel) => kernels.has(kernel.id)).map((kernel) => ({ kernel: kernel.id }))
                                          : fn.refusedByGain.filter((index) => refused.has(index)).map((index) => ({ refused: index }));
  if (!results.length) return;
  state.next = ((state.next ?? -1) + step + results.length) % results.length;
  pick(results[state.next]);
  showPicked();
}
