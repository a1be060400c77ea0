// What part of the world is seen: zoom and pan by wheel, drag, buttons and keys, and a small map.
const camera = { x: 0, y: 0, scale: 1, home: null };
const LEAST = 0.004, MOST = 4, FAR = 0.6, EDGE = 24;

// Kept, for asking makes the browser lay out all that changed.
let knownSize = null;
function stageSize() {
  if (!knownSize) {
    const box = $("stage").getBoundingClientRect();
    knownSize = [Math.max(box.width, 50), Math.max(box.height, 50)];
  }
  return knownSize;
}

function applyCamera() {
  $("canvas").style.transform = `translate(${camera.x}px,${camera.y}px) scale(${camera.scale})`;
  $("canvas").classList.toggle("far", camera.scale < FAR);
  drawMap();
}

// What a resized window shows again, until somebody zooms or moves.
function goHome(home) {
  home();
  camera.home = home;
}

function zoomBy(factor, x, y) {
  camera.home = null;
  const [width, height] = stageSize();
  x ??= width / 2;
  y ??= height / 2;
  const scale = Math.min(MOST, Math.max(LEAST, camera.scale * factor));
  camera.x = x - (x - camera.x) * scale / camera.scale;
  camera.y = y - (y - camera.y) * scale / camera.scale;
  camera.scale = scale;
  applyCamera();
}

function panBy(dx, dy) {
  camera.home = null;
  camera.x += dx;
  camera.y += dy;
  applyCamera();
}

// Shows a rectangle in the middle, not larger than `most` times its size.
function showRect([x, y, width, height], most) {
  const [stageWidth, stageHeight] = stageSize();
  const scale = Math.min(most, (stageWidth - EDGE) / Math.max(width, 1), (stageHeight - EDGE) / Math.max(height, 1));
  camera.home = null;
  camera.scale = Math.min(MOST, Math.max(LEAST, scale));
  camera.x = stageWidth / 2 - (x + width / 2) * camera.scale;
  camera.y = stageHeight / 2 - (y + height / 2) * camera.scale;
  applyCamera();
}

function showAll() {
  const { width, height } = state.scene.view;
  showRect([0, 0, width, height], 1.4);
}

// All of it where that can be read, else its beginning.
function showStart() {
  const { width, height } = state.scene.view;
  const [stageWidth, stageHeight] = stageSize();
  const whole = Math.min((stageWidth - EDGE) / Math.max(width, 1), (stageHeight - EDGE) / Math.max(height, 1));
  if (whole >= 0.5) { showRect([0, 0, width, height], 1.2); return; }
  const scale = Math.min(0.85, Math.max(0.65, (stageWidth - EDGE) / Math.max(width, 1)));
  const isNarrow = width * scale <= stageWidth - EDGE;
  Object.assign(camera, { scale, x: isNarrow ? (stageWidth - width * scale) / 2 : EDGE / 2, y: height * scale < stageHeight ? (stageHeight - height * scale) / 2 : 24 });
  applyCamera();
}

const map = { base: null, width: 0, height: 0, sx: 1, sy: 1 };

// The map's boxes, drawn once for a view and its colors.
function prepareMap() {
  const { width, height, boxes } = state.scene.view, fn = state.fn;
  const scale = Math.min(170 / Math.max(width, 1), 240 / Math.max(height, 1));
  map.width = Math.max(36, Math.round(width * scale));
  map.height = Math.max(30, Math.round(height * scale));
  map.sx = (map.width - 8) / Math.max(width, 1);
  map.sy = (map.height - 8) / Math.max(height, 1);
  const ratio = window.devicePixelRatio || 1;
  const base = document.createElement("canvas");
  base.width = map.width * ratio;
  base.height = map.height * ratio;
  const context = base.getContext("2d");
  context.scale(ratio, ratio);
  const launches = state.scene.name === "before" ? launchesOfNode(fn) : null;
  boxes.forEach((box, index) => {
    if (!box) return;
    const launch = launches ? launches[index][0] : index;
    context.fillStyle = launch < fn.kernels.length ? colorOf(fn, fn.kernels[launch]) : "#8c96a5";
    context.fillRect(4 + box[0] * map.sx, 4 + box[1] * map.sy, Math.max(1, box[2] * map.sx), Math.max(1, box[3] * map.sy));
  });
  map.base = base;
  const canvas = $("map");
  canvas.width = base.width;
  canvas.height = base.height;
  canvas.style.width = map.width + "px";
  canvas.style.height = map.height + "px";
}

function drawMap() {
  if (!map.base) return;
  const context = $("map").getContext("2d"), ratio = window.devicePixelRatio || 1;
  const [stageWidth, stageHeight] = stageSize();
  const { width, height } = state.scene.view;
  // A map of what is seen anyway tells nothing.
  const isAll = width * camera.scale < stageWidth + 2 && height * camera.scale < stageHeight + 2;
  $("map").hidden = isAll;
  if (isAll) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, map.base.width, map.base.height);
  context.drawImage(map.base, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = "#f7d443";
  context.strokeStyle = "#161b24";
  context.lineWidth = 0.5;
  for (const index of state.hitBoxes ?? []) {
    const box = rectOf(state.fn, state.scene, index);
    const rect = [4 + box[0] * map.sx, 4 + box[1] * map.sy, Math.max(5, box[2] * map.sx), Math.max(3, box[3] * map.sy)];
    context.fillRect(...rect);
    context.strokeRect(...rect);
  }
  context.lineWidth = 1.5;
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  const left = Math.max(1, 4 - camera.x / camera.scale * map.sx), top = Math.max(1, 4 - camera.y / camera.scale * map.sy);
  const right = Math.min(map.width - 1, 4 + (stageWidth - camera.x) / camera.scale * map.sx);
  const bottom = Math.min(map.height - 1, 4 + (stageHeight - camera.y) / camera.scale * map.sy);
  context.strokeRect(left, top, Math.max(4, right - left), Math.max(4, bottom - top));
}

function listenToCamera() {
  const stage = $("stage"), field = $("field");
  const at = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = at(event);
    const lines = event.deltaMode ? 30 : 1;
    if (event.shiftKey) panBy(-(event.deltaX || event.deltaY) * lines, 0);
    else zoomBy(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018)), x, y);
  }, { passive: false });
  let last = null, moved = 0;
  field.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    last = [event.clientX, event.clientY];
    moved = 0;
  });
  window.addEventListener("pointermove", (event) => {
    if (!last) return;
    const dx = event.clientX - last[0], dy = event.clientY - last[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < 4) return;
    field.classList.add("dragging");
    last = [event.clientX, event.clientY];
    panBy(dx, dy);
  });
  window.addEventListener("pointerup", () => {
    last = null;
    field.classList.remove("dragging");
  });
  // The end of a drag is no click.
  field.addEventListener("click", (event) => { if (moved >= 4) { event.stopPropagation(); moved = 0; } }, true);
  const goTo = (event) => {
    const box = $("map").getBoundingClientRect(), [width, height] = stageSize();
    camera.home = null;
    camera.x = width / 2 - (event.clientX - box.left - 4) / map.sx * camera.scale;
    camera.y = height / 2 - (event.clientY - box.top - 4) / map.sy * camera.scale;
    applyCamera();
  };
  $("map").addEventListener("pointerdown", (event) => { $("map").setPointerCapture(event.pointerId); goTo(event); });
  $("map").addEventListener("pointermove", (event) => { if (event.buttons & 1) goTo(event); });
  $("zoom-in").addEventListener("click", () => zoomBy(1.35));
  $("zoom-out").addEventListener("click", () => zoomBy(1 / 1.35));
  $("zoom-fit").addEventListener("click", () => goHome(showAll));
  window.addEventListener("resize", () => { knownSize = null; camera.home ? goHome(camera.home) : applyCamera(); });
}
