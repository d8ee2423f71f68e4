// Graphs and numbers of the job. All text goes in as text nodes.

const SVG = "http://www.w3.org/2000/svg";
const SECONDS = 120;
const WIDTH = 240;
const HEIGHT = 48;
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** An element with properties and children; strings become text. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) {
      made[key] = value;
    } else {
      made.setAttribute(key, value);
    }
  }
  made.append(...children);
  return made;
}

/** The same for SVG, with attributes. */
export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function count(value) {
  return whole.format(value);
}

export function decimal(value) {
  return Number.isFinite(value) ? number.format(value) : "–";
}

/** A score, which differs from others in small parts. */
export function score(value) {
  return Number.isFinite(value) ? hundredths.format(value) : "–";
}

export function milliseconds(value) {
  if (value < 10) {
    return decimal(value) + " ms";
  }
  return value < 10000 ? count(value) + " ms" : count(value / 1000) + " s";
}

function age(seconds) {
  if (seconds < 120) {
    return count(seconds) + " s";
  }
  return seconds < 7200 ? count(seconds / 60) + " min" : count(seconds / 3600) + " h";
}

function bytes(value) {
  return decimal(value / 2 ** 30) + " GiB";
}

const history = [];

/** Draws lines of the last two minutes, on one scale from 0; returns the highest value. */
function draw(graph, lines) {
  const highest = Math.max(0, ...lines.flat());
  const top = Math.max(1, highest);
  graph.replaceChildren(
    ...lines.map((values, line) => {
      const step = WIDTH / (SECONDS - 1);
      const begin = WIDTH - step * (values.length - 1);
      const points = values.map((value, i) =>
        (begin + i * step).toFixed(1) + " " + (HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1));
      return shape("path", { d: "M" + points.join("L"), class: line === 0 ? "first" : "second" });
    }));
  return highest;
}

function show(id, ...content) {
  document.getElementById(id).replaceChildren(...content);
}

function device(stage) {
  if (!(stage.gpu >= 0)) {
    return "CPU";
  }
  return "GPU " + stage.gpu + (stage.gpuMemory > 0
    ? ", " + bytes(stage.gpuMemoryUsed) + " of " + bytes(stage.gpuMemory) : "");
}

function index(stage) {
  if (!stage.sha256) {
    return "–";
  }
  const version = stage.version && stage.version !== "none" ? stage.version + " " : "";
  return element("bdi", { title: "SHA-256 " + stage.sha256 }, version + stage.sha256.slice(0, 8));
}

/** Takes the numbers of one second. */
export function statistics(now) {
  history.push(now);
  if (history.length > SECONDS) {
    history.shift();
  }
  const fastest = decimal(draw(document.getElementById("throughput"), [history.map((one) => one.perSecond)]));
  const slowest = milliseconds(draw(document.getElementById("latency"),
    [history.map((one) => one.p50), history.map((one) => one.p99)]));
  show("throughput-top", "highest " + fastest);
  show("latency-top", "highest " + slowest);
  const speed = decimal(now.perSecond) + " records/s";
  show("throughput-now", speed);
  const some = now.perSecond > 0;
  show("latency-now",
    element("span", { className: "key-first" }, "p50 " + (some ? milliseconds(now.p50) : "–")), " ",
    element("span", { className: "key-second" }, "p99 " + (some ? milliseconds(now.p99) : "–")));
  document.getElementById("throughput").setAttribute("aria-label",
    "Throughput over the last two minutes; now " + speed + ", at most " + fastest);
  document.getElementById("latency").setAttribute("aria-label",
    "Latency over the last two minutes; now " + (some
      ? "half of the records below " + milliseconds(now.p50) + ", 99 percent below " + milliseconds(now.p99)
      : "no records") + "; at most " + slowest);
  const batch = now.batch;
  show("batch-now", decimal(batch.mean) + " of " + count(batch.limit) + " records on average, "
    + count(batch.largest) + " in the largest");
  document.getElementById("batch").value = Math.min(1, batch.mean / batch.limit);
  const fills = Object.entries(batch.fills).filter(([, value]) => value > 0);
  show("fills", fills.length === 0 ? "" : "Batches closed by "
    + fills.map(([name, value]) => name + ": " + count(value)).join(", ") + ".");
  show("stages", ...now.stages.map((stage) => element("tr", {},
    element("th", { scope: "row" }, element("bdi", {}, stage.name)),
    element("td", {}, device(stage)),
    element("td", {}, index(stage)),
    element("td", { className: "number" }, stage.sha256 ? age(stage.indexAge ?? 0) : "–"),
    element("td", { className: "number" }, stage.sha256 ? count(stage.learnedPairs ?? 0) : "–"))));
}

/** Forgets what was drawn. */
export function clear() {
  history.length = 0;
}
