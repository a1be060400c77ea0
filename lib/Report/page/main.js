// What is shown, and what happens on clicks and keys. #view=before&color=label&search=relu&theme=dark
// in the address sets the same.
const state = { fn: null, scene: null, view: "overview", color: "cost", refused: true, tab: "kernels", query: "", hits: [], picked: null };
const scenes = new Map();

function showView(name, keepsCamera) {
  state.view = name;
  const key = data.functions.indexOf(state.fn) + name;
  if (!scenes.has(key)) scenes.set(key, drawScene(state.fn, name));
  clearHits();
  state.scene = scenes.get(key);
  $("world").replaceChildren(state.scene.root);
  for (const view of ["overview", "after", "before"]) $(view).classList.toggle("on", view === name);
  paint();
  if (!keepsCamera) goHome(showStart);
  if (state.query) search(state.query);
  if (state.picked) pick(state.picked);
}

function paint() {
  paintScene(state.scene, state.fn);
  drawLegend(state.fn);
  paintKernels(state.fn);
  prepareMap();
  drawMap();
  $("by-cost").classList.toggle("on", state.color === "cost");
  $("by-label").classList.toggle("on", state.color === "label");
  $("show-refused").classList.toggle("on", state.refused);
  $("canvas").classList.toggle("hide-refused", !state.refused);
}

function showFunction(index) {
  state.fn = data.functions[index];
  state.picked = null;
  $("details").hidden = true;
  $("function").value = index;
  $("function").hidden = data.functions.length < 2;
  document.title = "fuse: " + text(state.fn.name);
  if (!state.fn.kernelWords) indexFunction(state.fn);
  fillFigures(state.fn);
  fillKernels(state.fn);
  sortRefused(state.fn);
  fillTabs(null);
  showTab("kernels");
  showView(state.view);
}

function setColor(color) {
  state.color = color;
  paint();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (state.scene) paint();
}

// The elements that show what was picked: a kernel, a refused merge, a node or a line.
function elementsOf(picked) {
  const fn = state.fn, scene = state.scene, isAfter = scene.name !== "before";
  if (picked.kernel !== undefined)
    return isAfter ? [scene.boxes[picked.kernel]] : fn.membersOf[picked.kernel].map((member) => scene.boxes[fn.members[member][0]]);
  if (picked.refused !== undefined) return [scene.lineOfRefused.get(picked.refused)?.element];
  if (picked.node !== undefined) {
    const own = scene.boxes[isAfter ? fn.kernels.length + picked.node : picked.node];
    return own ? [own] : fn.members.flatMap(([node, launch]) => (node === picked.node ? [scene.boxes[launch]] : []));
  }
  return [];
}

function pick(picked) {
  for (const element of document.querySelectorAll(".picked, .near")) element.classList.remove("picked", "near");
  state.picked = picked;
  if (!picked) { $("details").hidden = true; return; }
  for (const element of elementsOf(picked)) element?.classList.add("picked");
  if (picked.kernel !== undefined) {
    describeKernel(state.fn.kernels[picked.kernel]);
    state.fn.kernelRows[picked.kernel].classList.add("picked");
    if (state.scene.name !== "before")
      for (const entry of state.scene.lines)
        if ([entry.line[0], entry.line[1]].includes(state.scene.name === "overview" ? state.fn.shownAs[picked.kernel] : picked.kernel)) entry.element.classList.add("near");
  } else if (picked.refused !== undefined) {
    describeRefused(picked.refused);
    rowsOfRefused(state.fn)[picked.refused].classList.add("picked");
  } else {
    describeNode(picked.node);
  }
}

// Moves what was picked into sight, in the graph and in its list.
function showPicked() {
  const picked = state.picked, scene = state.scene;
  if (!picked) return;
  const indices = elementsOf(picked).flatMap((element) => {
    if (!element) return [];
    if (element.dataset.line !== undefined) return scene.lines[element.dataset.line].line.slice(0, 2);
    return [Number(element.dataset.box)];
  });
  if (indices.length) showRect(boundsOf(indices.map((index) => rectOf(state.fn, scene, index))), 1.1);
  if (picked.node !== undefined) return;
  const row = picked.kernel !== undefined ? state.fn.kernelRows[picked.kernel] : rowsOfRefused(state.fn)[picked.refused];
  if (!row) return;
  showTab(picked.kernel !== undefined ? "kernels" : "refused");
  row.scrollIntoView({ block: "nearest" });
}

// What of the graph an event is about.
function targetOf(event) {
  const line = event.target.closest?.("[data-line]"), box = event.target.closest?.("[data-box]");
  if (box && !line) {
    const index = Number(box.dataset.box), kernels = state.fn.kernels.length;
    if (state.scene.name === "before") return { node: index };
    return index < kernels ? { kernel: index } : { node: index - kernels };
  }
  return line ? { line: state.scene.lines[line.dataset.line], element: line } : null;
}

// Shows what computes the value of a tag.
function goToSource(box) {
  const kernels = state.fn.kernels.length;
  pick(state.scene.name === "before" ? { node: box } : box < kernels ? { kernel: box } : { node: box - kernels });
  showPicked();
}

function listenToGraph() {
  const field = $("field");
  let over = null;
  field.addEventListener("pointermove", (event) => {
    const target = event.buttons ? null : targetOf(event);
    over?.classList.remove("over");
    over = null;
    if (target?.line) {
      over = target.element;
      over.classList.add("over");
      showTip(event, (tip) => describeLine(tip, target.line));
      return;
    }
    const member = event.target.closest?.("[data-member]");
    const node = member ? state.fn.members[member.dataset.member][0] : target?.node;
    if (node !== undefined) {
      const [, op, type, name] = state.fn.nodes[node];
      showTip(event, (tip) => {
        html(tip, "b", "", text(op));
        for (const line of [text(type), text(name)]) if (line) html(tip, "div", "", line);
      });
    } else if (target) {
      const kernel = state.fn.kernels[target.kernel];
      showTip(event, (tip) => {
        html(tip, "b", "", kernelTitle(kernel) + ": " + text(kernel.label));
        html(tip, "div", "", opsOf(kernel));
        html(tip, "div", "", `${timesOf(kernel)}, traffic ${formatBytes(kernel.traffic)}`);
      });
    } else $("tip").hidden = true;
  });
  field.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  field.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (!target) pick(null);
    else if (!target.line) pick(target);
    else if (target.line.isTag) goToSource(target.line.line[0]);
    else if (target.line.refused.length) pick({ refused: target.line.refused[0] });
  });
  field.addEventListener("dblclick", (event) => { if (targetOf(event)) showPicked(); });
}

function listenToPanel() {
  for (const tab of ["kernels", "refused"]) $("tab-" + tab).addEventListener("click", () => showTab(tab));
  $("kernels").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) { pick({ kernel: Number(row.dataset.kernel) }); showPicked(); }
  });
  $("refused").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) { pick({ refused: Number(row.dataset.refused) }); showPicked(); }
  });
  for (const view of ["overview", "after", "before"]) $(view).addEventListener("click", () => showView(view));
  $("by-cost").addEventListener("click", () => setColor("cost"));
  $("by-label").addEventListener("click", () => setColor("label"));
  $("show-refused").addEventListener("click", () => { state.refused = !state.refused; paint(); });
  $("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  $("function").addEventListener("change", (event) => showFunction(Number(event.target.value)));
  $("search").addEventListener("input", (event) => search(event.target.value));
  $("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") showNext(event.shiftKey ? -1 : 1);
  });
}

function listenToKeys() {
  const keys = {
    "+": () => zoomBy(1.35), "=": () => zoomBy(1.35), "-": () => zoomBy(1 / 1.35), "0": () => goHome(showAll),
    ArrowLeft: () => panBy(80, 0), ArrowRight: () => panBy(-80, 0), ArrowUp: () => panBy(0, 80), ArrowDown: () => panBy(0, -80),
    v: () => showView({ overview: "after", after: "before", before: "overview" }[state.view]),
    c: () => setColor(state.color === "cost" ? "label" : "cost"),
    r: () => $("show-refused").click(), "/": () => $("search").focus(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (state.query) { $("search").value = ""; search(""); } else pick(null);
      $("stage").focus();
      return;
    }
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function start() {
  const address = new URLSearchParams(location.hash.slice(1));
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(address.get("theme") ?? (prefersDark.matches ? "dark" : "light"));
  if (!address.get("theme")) prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  data.functions.forEach((fn, index) => { html($("function"), "option", "", "@" + text(fn.name)).value = index; });
  $("function").disabled = data.functions.length < 2;
  if (["before", "after"].includes(address.get("view"))) state.view = address.get("view");
  if (address.get("color") === "label") state.color = "label";
  if (!data.functions.length) return;
  // The function that was run comes first, else the one with most to show.
  const weigh = (fn) => (fn.run !== null ? 1e9 : 0) + fn.kernels.length;
  const most = data.functions.reduce((best, fn, index) => (weigh(fn) > weigh(data.functions[best]) ? index : best), 0);
  showFunction(most);
  listenToCamera();
  listenToGraph();
  listenToPanel();
  listenToKeys();
  if (address.get("fit") !== null) goHome(showAll);
  if (address.get("tab") === "refused") showTab("refused");
  if (address.get("search")) { $("search").value = address.get("search"); search(address.get("search")); }
  if (address.get("kernel") && state.fn.kernels[address.get("kernel")]) { pick({ kernel: Number(address.get("kernel")) }); showPicked(); }
  if (address.get("refused") && state.fn.refused[address.get("refused")]) { pick({ refused: Number(address.get("refused")) }); showPicked(); }
  document.body.getBoundingClientRect(); // lays out
  state.opened = performance.now();
}

start();
