// What the tests ask of the page; picture_test.py runs it behind the page's own scripts. It leaves the answer in
// an element `selftest`.

const measure = (element) => element.getBBox();
const isWithin = (inner, outer) => inner.x >= outer.x - 1 && inner.x + inner.width <= outer.x + outer.width + 1;

// Facts of a view when all of it is shown: boxes that overlap, text that leaves its box, the smallest
// text in pixels of the screen, and how many layers of boxes the longest line passes.
function checkLayout(name) {
  showView(name);
  goHome(showAll);
  const { scene, fn } = state, view = scene.view, overlaps = [], wide = [];
  const rects = view.boxes.flatMap((box, index) => (box ? [[...box, index]] : []));
  rects.sort((a, b) => a[1] - b[1]);
  rects.forEach((a, i) => {
    for (let k = i + 1; k < rects.length && rects[k][1] < a[1] + a[3]; ++k)
      if (rects[k][0] < a[0] + a[2] && a[0] < rects[k][0] + rects[k][2]) overlaps.push([a[4], rects[k][4]]);
  });
  const check = (texts, outer, what) => {
    for (const element of texts) if (!isWithin(measure(element), outer)) wide.push([what, element.textContent]);
  };
  const toRect = ([x, y, width, height]) => ({ x, y, width, height });
  const shown = rects.length > 800 ? rects.filter((_, index) => index % 7 === 0) : rects;
  for (const [x, y, width, height, index] of shown) {
    const element = scene.boxes[index], outer = { x, y, width, height };
    check(element.querySelectorAll(":scope > text:not(.big), :scope > .tag > text"), outer, "box");
    const title = element.querySelector(":scope > .title"), time = element.querySelector(":scope > .time");
    if (title && time.textContent && measure(title).x + measure(title).width > measure(time).x) wide.push(["title", title.textContent]);
    for (const tag of element.querySelectorAll(".tag")) check(tag.querySelectorAll("text"), measure(tag.querySelector("rect")), "tag");
    for (const member of element.querySelectorAll(".member")) {
      const [op, type] = member.querySelectorAll("text"), rect = measure(member.querySelector("rect"));
      check([op, type], rect, "member");
      if (measure(op).x + measure(op).width > measure(type).x) wide.push(["member", op.textContent]);
    }
  }
  document.querySelectorAll("#world .repeat").forEach((group, index) => check(group.querySelectorAll("text"), toRect(view.frames[index][0]), "frame"));
  let least = Infinity, smallest = "";
  for (const element of document.querySelectorAll("#world text")) {
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || style.display === "none" || !element.textContent) continue;
    const pixels = parseFloat(style.fontSize) * camera.scale;
    if (pixels < least) [least, smallest] = [pixels, element.textContent];
  }
  const legend = $("legend").getBoundingClientRect(), stage = $("stage").getBoundingClientRect();
  const fits = view.width * camera.scale <= stage.width && view.height * camera.scale <= stage.height;
  return { viewport: [innerWidth, innerHeight], overlaps: overlaps.slice(0, 5), wide: wide.slice(0, 5), leastPx: least, smallest, scale: camera.scale, width: view.width, height: view.height,
           boxes: rects.length, tags: view.tags.length, frames: view.frames.map((frame) => frame.slice(1, 4)), fits,
           isCovered: legend.top < stage.bottom && legend.bottom > stage.top,
           isCut: [...document.querySelectorAll("header *, footer *")].filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && element.tagName !== "INPUT").map((element) => element.id || element.textContent),
           longest: Math.max(0, ...view.lines.map((line) => Math.abs(rectOf(fn, scene, line[0])[1] - rectOf(fn, scene, line[1])[1]) / view.height)),
           drawnRefused: document.querySelectorAll("#world .no").length };
}

// Finds every kernel and refused merge by its name, as a user would, and leaves what came of it in the
// page. #selftest in the address asks for it; the tests of the project do.
function selfTest() {
  const fn = state.fn, missed = [], times = [];
  const known = new Map();
  let next = 0, step = 1;
  // All are looked up; some of them as typed into the box, with all that the page does then.
  const check = (query, list, index) => {
    if (!known.has(query)) known.set(query, find(query));
    let found = known.get(query);
    if (next++ % step === 0) {
      const started = performance.now();
      found = search(query);
      document.body.getBoundingClientRect(); // lays out what changed
      times.push(performance.now() - started);
    }
    if (!found[list].includes(index)) missed.push([list, index, query]);
  };
  for (const view of ["overview", "before", "after"]) {
    showView(view);
    document.body.getBoundingClientRect();
    const checks = [];
    fn.kernels.forEach((kernel, index) => {
      for (const query of [kernelTitle(kernel), text(kernel.name), ...kernel.ops.map(text)]) checks.push([query, "kernels", index]);
      if (find(kernelTitle(kernel)).kernels.length !== 1) missed.push(["kernels", index, "not alone"]);
    });
    fn.refused.forEach((edge, index) => {
      for (const query of [text(edge.producer) + " \u2192 " + text(edge.consumer), text(edge.reason), text(edge.location)]) checks.push([query, "refused", index]);
      const isDrawn = edge.kernels.includes(null) || edge.nodes.includes(null) || state.scene.lineOfRefused.has(index);
      if (view === "after" && !isDrawn) missed.push(["refused", index, "not drawn"]);
    });
    next = 0;
    step = Math.ceil(checks.length / 50);
    for (const [query, list, index] of checks) check(query, list, index);
  }
  search("");
  const result = { opened: state.opened, functions: data.functions.length, kernels: fn.kernels.length, refused: fn.refused.length,
                   nodes: fn.nodes.length, searches: times.length, slowest: Math.max(0, ...times),
                   median: [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0, missed,
                   about: [$("model").textContent, ...[...$("figures").children].map((box) => [box.firstChild.tagName, box.firstChild.textContent, box.lastChild.textContent])],
                   layout: Object.fromEntries(["overview", "after", "before"].map((view) => [view, checkLayout(view)])) };
  const place = document.createElement("script");
  place.type = "application/json"; // before it is added: it is no script to run
  place.id = "selftest";
  place.textContent = JSON.stringify(result).replaceAll("<", "\\u003c");
  document.body.appendChild(place);
}

selfTest();
