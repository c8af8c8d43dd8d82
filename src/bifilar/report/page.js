/* Reading off, zooming and hiding lines of drawings; turning and playing bodies in space. Pages can be read without it. */
"use strict";
(() => {
  const root = document.documentElement;
  const tag = (name, kind, parent) => { const e = document.createElement(name); e.className = kind; parent.append(e); return e; };
  const short = (x) => Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4));

  /* ---- drawings: what a path says, in the units of its axes */
  const parsed = new WeakMap();
  function points(path) {
    if (!parsed.has(path)) {
      const xs = [], ys = [];
      let x = 0, y = 0;
      for (const [, word] of path.getAttribute("d").matchAll(/m([^m]*)/g)) {
        const n = (word.replace(/h0/g, "").match(/-?\d+/g) || []).map(Number);
        for (let k = 0; k + 1 < n.length; k += 2) { x += n[k]; y += n[k + 1]; xs.push(x); ys.push(y); }
      }
      parsed.set(path, [xs, ys]);
    }
    return parsed.get(path);
  }
  const ends = (axes, key) => axes.dataset[key].split(" ").map(Number);
  const shown = (axes) => axes.querySelectorAll("path[data-s]:not([data-s='']):not(.band):not(.gone)");

  function ticks(low, high, most) {
    const span = high - low, size = 10 ** Math.floor(Math.log10(span / most));
    const step = size * ([1, 2, 2.5, 5, 10].find((m) => span / (m * size) <= most - 1) || 10);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found;
  }
  function zoom(axes, low, high) {
    const [a, b] = ends(axes, "x"), svg = axes.querySelector("svg");
    if (!(high > low)) [low, high] = [a, b];
    axes.zoomed = low > a || high < b ? [low, high] : null;
    svg.setAttribute("viewBox", `${(4000 * (low - a)) / (b - a)} 0 ${(4000 * (high - low)) / (b - a)} 1000`);
    axes.querySelectorAll("i.x").forEach((e) => e.remove());
    const unit = axes.dataset.u.split("|")[0], found = ticks(low, high, 5);
    found.forEach((t, k) => {
      const at = (100 * (t - low)) / (high - low), e = tag("i", at > 90 ? "x last" : "x", axes);
      e.style.left = `${at}%`;
      tag("b", "", e).textContent = `${+t.toPrecision(6)}${k === found.length - 1 && unit ? ` ${unit}` : ""}`;
      axes.prepend(e);
    });
  }
  function read(axes, event) {
    const box = axes.getBoundingClientRect(), [a, b] = ends(axes, "x"), [c, d] = ends(axes, "y");
    const [low, high] = axes.zoomed || [a, b];
    const at = low + ((event.clientX - box.left) / box.width) * (high - low);
    const wanted = (4000 * (at - a)) / (b - a), level = (1000 * (event.clientY - box.top)) / box.height;
    const [xu, yu] = axes.dataset.u.split("|");
    const lines = [];
    let place = null;
    for (const path of shown(axes)) {
      const [xs, ys] = points(path), cloud = path.classList.contains("points");
      let best = -1, least = cloud ? 90 : 4000;
      xs.forEach((x, k) => {
        const far = cloud ? Math.hypot((x - wanted) * box.width / 4000, (ys[k] - level) * box.height / 1000) : Math.abs(x - wanted);
        if (far < least) { least = far; best = k; }
      });
      if (best < 0) continue;
      const y = d - (ys[best] / 1000) * (d - c), x = a + (xs[best] / 4000) * (b - a);
      if (place === null || !cloud) place = x;
      lines.push([path.dataset.s, short(y), path.style.stroke]);
    }
    return { place: place === null ? at : place, low, high, lines, xu, yu };
  }
  function point(axes, event) {
    axes.tip ||= tag("div", "tip", axes);
    axes.hair ||= tag("div", "hair", axes);
    const { place, low, high, lines, xu, yu } = read(axes, event);
    axes.tip.replaceChildren();
    tag("div", "small", axes.tip).textContent = `${short(place)} ${xu}`;
    for (const [name, y, colour] of lines) {
      const row = tag("div", "", axes.tip), key = tag("i", "key box", row);
      key.style.position = "static"; key.style.color = colour;
      row.append(`${name} ${y} ${yu}`);
    }
    const share = (place - low) / (high - low);
    axes.hair.style.left = `${100 * share}%`;
    Object.assign(axes.tip.style, share > 0.5 ? { right: `${100 * (1 - share) + 2}%`, left: "auto" } : { left: `${100 * share + 2}%`, right: "auto" });
    axes.tip.style.top = "4px";
  }
  function leave(axes) { for (const key of ["tip", "hair", "chosen"]) { axes[key]?.remove(); axes[key] = null; } axes.from = null; }
  for (const axes of document.querySelectorAll(".axes")) {
    const share = (event) => { const box = axes.getBoundingClientRect(); return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)); };
    axes.addEventListener("pointermove", (event) => {
      point(axes, event);
      if (axes.from === null || axes.from === undefined) return;
      axes.chosen ||= tag("div", "chosen", axes);
      const to = share(event);
      axes.chosen.style.left = `${100 * Math.min(to, axes.from)}%`;
      axes.chosen.style.width = `${100 * Math.abs(to - axes.from)}%`;
    });
    axes.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse") axes.from = share(event); });
    axes.addEventListener("pointerup", (event) => {
      const from = axes.from, to = share(event);
      if (from !== null && from !== undefined && Math.abs(to - from) > 0.03) {
        const [a, b] = axes.zoomed || ends(axes, "x"), same = axes.dataset.x;
        const [low, high] = [Math.min(from, to), Math.max(from, to)].map((s) => a + s * (b - a));
        axes.closest("section").querySelectorAll(".axes").forEach((other) => { if (other.dataset.x === same) zoom(other, low, high); });
      }
      leave(axes);
    });
    axes.addEventListener("pointerleave", () => leave(axes));
    axes.addEventListener("dblclick", () => axes.closest("section").querySelectorAll(".axes").forEach((other) => zoom(other, 0, 0)));
  }
  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      for (const e of button.closest("section").querySelectorAll("[data-s]")) if (e !== button && e.dataset.s === button.dataset.s) e.classList.toggle("gone", !on);
    });
  }

  /* ---- bodies in space: an ellipsoid seen from far away is an ellipse, so a canvas and its ellipses are enough */
  function space(place) {
    const data = JSON.parse(place.querySelector("script").textContent), canvas = place.querySelector("canvas");
    const slider = place.querySelector("input[type=range]"), clock = place.querySelector("output"), play = place.querySelector("button");
    const view = { yaw: -0.7, pitch: 0.35, zoom: 1, frame: 0, playing: 0, centre: data.centre, hover: -1 };
    const on = (name) => place.querySelector(`input[name=${name}]`)?.checked;
    function basis() {
      const [c, s, e, f] = [Math.cos(view.yaw), Math.sin(view.yaw), Math.cos(view.pitch), Math.sin(view.pitch)];
      return [[-s, c, 0], [-c * f, -s * f, e], [c * e, s * e, f]]; // right, up, towards the eye
    }
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    function draw() {
      const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      if (!width) return;
      canvas.width = width * ratio; canvas.height = height * ratio;
      const pen = canvas.getContext("2d"), style = getComputedStyle(root), ink = (name) => style.getPropertyValue(`--${name}`).trim();
      pen.scale(ratio, ratio);
      const scale = (0.47 * Math.min(width, height * 1.15) * view.zoom) / data.reach, axes = basis();
      const eye = (p) => { const d = [p[0] - view.centre[0], p[1] - view.centre[1], p[2] - view.centre[2]]; return [width / 2 + scale * dot(d, axes[0]), height / 2 - scale * dot(d, axes[1]), dot(d, axes[2])]; };
      const frame = data.frames[view.frame];
      floor(pen, eye, ink);
      pen.lineCap = "round";
      for (const path of data.paths) stroke(pen, path.map(eye), ink("noise"), 1, 0.6);
      const things = data.sticks.map(([a, b]) => { const [p, q] = [eye(frame.o[a]), eye(frame.o[b])]; return [(p[2] + q[2]) / 2, () => stroke(pen, [p, q], ink("quiet"), 4, 0.9)]; });
      data.joints.forEach((link, k) => { const p = eye(frame.o[link]); things.push([p[2] + 0.01, () => ball(pen, p, ink(`j${k % 10}`), ink("card"))]); });
      view.seen = [];
      for (const [name, colour] of [["described", "described"], ["identified", "identified"]]) {
        if (!data[name] || !on(name)) continue;
        data[name].forEach((body, k) => {
          if (!body) return;
          const [R, t] = frame.b[k], turn = (v) => [R[0] * v[0] + R[1] * v[1] + R[2] * v[2], R[3] * v[0] + R[4] * v[1] + R[5] * v[2], R[6] * v[0] + R[7] * v[1] + R[8] * v[2]];
          const c = turn(body.c).map((x, i) => x + t[i]), p = eye(c), half = body.a.map(turn);
          const u = half.map((h) => scale * dot(h, axes[0])), w = half.map((h) => -scale * dot(h, axes[1]));
          view.seen.push([p, k]);
          things.push([p[2], () => oval(pen, p, [dot(u, u), dot(u, w), dot(w, w)], ink(colour), name === "described", view.hover === k)]);
        });
      }
      things.sort((a, b) => a[0] - b[0]).forEach(([, paint]) => paint());
      compass(pen, axes, height, ink);
    }
    function stroke(pen, line, colour, width, alpha) {
      pen.globalAlpha = alpha; pen.strokeStyle = colour; pen.lineWidth = width; pen.setLineDash([]); pen.beginPath();
      line.forEach((p, k) => (k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]))); pen.stroke(); pen.globalAlpha = 1;
    }
    function ball(pen, p, colour, rim) { pen.beginPath(); pen.arc(p[0], p[1], 5, 0, 7); pen.fillStyle = colour; pen.fill(); pen.lineWidth = 1.5; pen.strokeStyle = rim; pen.setLineDash([]); pen.stroke(); }
    function oval(pen, p, [a, b, c], colour, dashed, strong) {
      const mean = (a + c) / 2, off = Math.hypot((a - c) / 2, b), turn = 0.5 * Math.atan2(2 * b, a - c);
      pen.beginPath();
      pen.ellipse(p[0], p[1], Math.max(1.5, Math.sqrt(mean + off)), Math.max(1.5, Math.sqrt(Math.max(0, mean - off))), turn, 0, 7);
      pen.globalAlpha = strong ? 0.5 : dashed ? 0.1 : 0.24; pen.fillStyle = colour; pen.fill(); pen.globalAlpha = 1;
      pen.lineWidth = strong ? 2.5 : 1.6; pen.strokeStyle = colour; pen.setLineDash(dashed ? [5, 3] : []); pen.stroke();
      pen.beginPath(); pen.arc(p[0], p[1], 2, 0, 7); pen.fillStyle = colour; pen.fill();
    }
    function floor(pen, eye, ink) {
      const size = 10 ** Math.floor(Math.log10(data.reach)), lead = data.reach / size, step = size * (lead > 5 ? 2 : lead > 2 ? 1 : 0.5), n = Math.ceil(data.reach / step);
      for (let k = -n; k <= n; k++) for (const line of [[[k * step, -n * step, data.floor], [k * step, n * step, data.floor]], [[-n * step, k * step, data.floor], [n * step, k * step, data.floor]]]) stroke(pen, line.map(eye), ink("grid"), 1, 1);
    }
    function compass(pen, axes, height, ink) {
      [["x", 0], ["y", 1], ["z", 2]].forEach(([name, k]) => {
        const p = [34 + 22 * axes[0][k], height - 34 - 22 * axes[1][k]];
        stroke(pen, [[34, height - 34], p], ink("soft"), 1.5, 1);
        pen.fillStyle = ink("soft"); pen.font = "12px sans-serif"; pen.fillText(name, p[0] + 3, p[1] + 3);
      });
    }
    function show(k) { view.frame = k; slider.value = k; clock.textContent = `${data.time[k].toFixed(2)} s`; draw(); }
    const from = new Map();
    canvas.addEventListener("pointerdown", (event) => { from.set(event.pointerId, [event.clientX, event.clientY]); canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", (event) => from.delete(event.pointerId));
    canvas.addEventListener("pointercancel", (event) => from.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const last = from.get(event.pointerId);
      if (last) {
        view.yaw -= (event.clientX - last[0]) / 140;
        view.pitch = Math.min(1.57, Math.max(-1.57, view.pitch + (event.clientY - last[1]) / 140));
        from.set(event.pointerId, [event.clientX, event.clientY]);
        return draw();
      }
      const box = canvas.getBoundingClientRect(), near = (view.seen || []).map(([p, k]) => [Math.hypot(p[0] - event.clientX + box.left, p[1] - event.clientY + box.top), k, p]).sort((a, b) => a[0] - b[0])[0];
      hover(near && near[0] < 26 ? near : null);
    });
    canvas.addEventListener("pointerleave", () => hover(null));
    function hover(near) {
      const k = near ? near[1] : -1;
      if (k === view.hover) return;
      view.hover = k; place.tip?.remove(); place.tip = null;
      if (k >= 0) {
        place.tip = tag("div", "tip", place);
        data.words[k].forEach((line) => (tag("div", "", place.tip).textContent = line));
        Object.assign(place.tip.style, { left: `${Math.min(near[2][0] + 14, canvas.clientWidth - 210)}px`, top: `${Math.max(4, near[2][1] - 20)}px` });
      }
      draw();
    }
    canvas.addEventListener("wheel", (event) => { if (!event.ctrlKey && !event.shiftKey) return; event.preventDefault(); view.zoom = Math.min(12, Math.max(0.3, view.zoom * Math.exp(-event.deltaY / 400))); draw(); }, { passive: false });
    canvas.addEventListener("dblclick", () => { view.zoom = view.zoom > 2 ? 1 : view.zoom * 1.5; draw(); });
    slider.addEventListener("input", () => show(+slider.value));
    play.addEventListener("click", () => {
      view.playing = view.playing ? (clearInterval(view.playing), 0) : setInterval(() => show((view.frame + 1) % data.frames.length), 80);
      play.textContent = view.playing ? "Stop" : "Play";
    });
    place.querySelectorAll("input[type=checkbox]").forEach((box) => box.addEventListener("change", draw));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    new ResizeObserver(draw).observe(canvas);
    show(0);
    return draw;
  }

  /* ---- a walker in its plane: sticks from joint to joint over the ground, true and estimated, as fast as they moved */
  function figure(place) {
    const data = JSON.parse(place.querySelector("script").textContent), canvas = place.querySelector("canvas");
    const slider = place.querySelector("input[type=range]"), clock = place.querySelector("output"), play = place.querySelector("button");
    let frame = 0, begun = 0, from = 0;
    function draw() {
      const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      if (!width) return;
      canvas.width = width * ratio; canvas.height = height * ratio;
      const pen = canvas.getContext("2d"), style = getComputedStyle(root), ink = (name) => style.getPropertyValue(`--${name}`).trim();
      const [low, high] = data.height, scale = (0.86 * height) / (high - low), middle = data.middle[frame];
      pen.scale(ratio, ratio);
      pen.translate(width / 2, height * 0.93 + low * scale); pen.rotate(-data.slope); pen.lineCap = "round";
      const at = (x, z) => [scale * (x - middle), -scale * z];
      const wide = width / scale, step = 10 ** Math.floor(Math.log10(wide / 4));
      const line = (a, b, colour, thick, dash) => { pen.strokeStyle = colour; pen.lineWidth = thick; pen.setLineDash(dash); pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke(); };
      line(at(middle - wide, 0), at(middle + wide, 0), ink("quiet"), 1, []);
      pen.fillStyle = ink("quiet"); pen.font = "11px sans-serif";
      for (let k = Math.ceil((middle - wide) / step); k * step <= middle + wide; k++) {
        const [x, y] = at(k * step, 0), long = k % 5 === 0;
        line([x, y], [x, y + (long ? 8 : 4)], ink("quiet"), 1, []);
        if (long) pen.fillText(`${+(k * step).toPrecision(4)} m`, x + 3, y + 14);
      }
      for (const [name, colour, thick, dash] of [["shown", "ink", 5, []], ["estimated", "identified", 3, [7, 5]]]) {
        if (!data[name] || place.querySelector(`input[name=${name}]`)?.checked === false) continue;
        const ends = data[name][frame];
        for (let k = 0; k < ends.length; k += 4) line(at(ends[k], ends[k + 1]), at(ends[k + 2], ends[k + 3]), name === "shown" ? ink(`j${(k / 4) % 10}`) : ink(colour), thick, dash);
      }
    }
    function show(k) { frame = k; slider.value = k; clock.textContent = `${data.time[k].toFixed(2)} s`; draw(); }
    function run(now) {
      if (!begun) return;
      let k = data.time.findIndex((t) => t >= from + (now - begun) / 1000);
      if (k < 0) { begun = now; from = 0; k = 0; }
      show(k); requestAnimationFrame(run);
    }
    play.addEventListener("click", () => {
      begun = begun ? 0 : performance.now(); from = data.time[frame];
      play.textContent = begun ? "Stop" : "Play";
      requestAnimationFrame(run);
    });
    slider.addEventListener("input", () => { show(+slider.value); begun &&= performance.now(); from = data.time[frame]; });
    place.querySelectorAll("input[type=checkbox]").forEach((box) => box.addEventListener("change", draw));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    new ResizeObserver(draw).observe(canvas);
    show(0);
    return draw;
  }
  const spaces = [...[...document.querySelectorAll(".space")].map(space), ...[...document.querySelectorAll(".walker")].map(figure)];
  addEventListener("beforeprint", () => { root.classList.add("light"); document.querySelectorAll("details").forEach((e) => { e.open || (e.printed = e.open = true); }); spaces.forEach((draw) => draw()); });
  addEventListener("afterprint", () => { root.classList.remove("light"); document.querySelectorAll("details").forEach((e) => { if (e.printed) e.printed = e.open = false; }); spaces.forEach((draw) => draw()); });
})();
