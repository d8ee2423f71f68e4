// What the stages found in one record. All text goes in as text nodes.

import { count, decimal, element, milliseconds, score, shape } from "./graphs.js";
import { doubts, text, verdictsOf, wording } from "./rows.js";

const MOST_WORDS = 60;
const GAP = 14;
const SPACE = /[\0\t\n\v\f\r ]+/;
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

function terms(...pairs) {
  return element("dl", {}, ...pairs.filter(([, value]) => value !== "" && value !== undefined)
    .flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value)]));
}

function table(caption, heads, rows) {
  return element("div", { className: "scroll" }, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows)));
}

function cell(content, className = "") {
  return element("td", { className }, content);
}

function records(number) {
  return count(number) + (number === 1 ? " record" : " records");
}

function isolated(content) {
  return element("bdi", {}, content);
}

function version(found) {
  return found.version || "id " + (found.model ?? "").slice(0, 8);
}

function perplexity(found) {
  const unknown = found.unknown > 0 ? "; " + found.unknown + " of " + found.words + " words unknown" : "";
  const said = Number.isFinite(found.perplexity) ? ", " + wording(found.perplexity) : "";
  return element("span", {}, decimal(found.perplexity) + said + unknown + " ",
    element("span", { className: "note" }, "(", isolated(found.stage + ", " + version(found)), ")"));
}

/** A text with the place where it leaves the grammar. */
function broken(check, content) {
  const words = content.split(SPACE).filter((word) => word !== "");
  const viable = check.viable ?? check.prefix;
  const where = element("p", { dir: "auto" }, words.slice(0, viable).join(" ") + " ",
    element("mark", { className: "break" }, words[viable] ?? "(its end)"),
    element("span", { className: "after" }, " " + words.slice(viable + 1, viable + 30).join(" ")));
  const said = element("p", {}, "Breaks " + (viable >= words.length
    ? "at its end" : "at word " + (viable + 1)) + " of " + check.words + ".");
  const next = check.next ?? [];
  if (next.length === 0) {
    return [said, where];
  }
  const more = check.nextWords - next.length;
  return [said, where, element("p", { className: "note" }, "Could follow there: ",
    isolated(next.join(", ")), more > 0 ? ", and " + count(more) + " more" : "")];
}

function grammar(check, record) {
  const content = check.of === "source" ? record.source : record.translation ?? record.source;
  return element("div", {},
    element("p", { className: "note" }, "Of the " + (check.of === "alternative" ? "translation" : check.of) + " (",
      isolated(check.stage + ", " + version(check)), ")"),
    ...(check.derivable
      ? [element("p", { className: "good" }, "The grammar derives it.")] : broken(check, content)));
}

/** Corrections that something is from. */
function origins(all, mine) {
  return all.map((from) => element("div", { className: mine(from.id) ? "used" : "note" },
    mine(from.id) ? "your correction of " : "correction ",
    mine(from.id) ? "" : isolated(from.id + " of "), day.format(from.time)));
}

function provenance(found, one, mine) {
  const parts = [version(found)];
  if (one.learned > 0) {
    parts.push(one.learned + " learned");
  }
  return element("div", {}, parts.join(", "), ...origins(one.corrections, mine));
}

function phrases(found, mine) {
  const rows = found.phrases.flatMap((phrase) => phrase.translations.map((one, i) => element("tr", {},
    cell(i === 0 ? isolated(phrase.text) : ""),
    cell(isolated(one.text)),
    cell(count(one.count) + " of " + count(phrase.extractions), "number"),
    cell(decimal(one.share * 100) + " %", "number"),
    cell(provenance(found, one, mine)))));
  const more = found.omitted > 0 ? "; " + found.omitted + " more phrases are not listed" : "";
  return table("Phrases of the " + found.of + " in the parallel text" + more,
    ["Phrase", "Translation", "Count", "Share", "From"], rows);
}

/** Words with their places in code points. */
function words(content) {
  const found = [];
  let place = 0;
  for (const part of content.split(/(\s+)/)) {
    const length = [...part].length;
    if (part.trim() !== "") {
      found.push({ text: part, start: place, end: place + length });
    }
    place += length;
  }
  return found.slice(0, MOST_WORDS);
}

function isRightToLeft(content) {
  const first = content.match(/\p{L}/u)?.[0] ?? "";
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(first);
}

/** The strongest links between words: index of the source word, of the target word, weight. */
function linked(record, source, target) {
  const strongest = new Map();
  for (const [sourceStart, , targetStart, , weight] of record.links) {
    const from = source.findIndex((word) => sourceStart >= word.start && sourceStart < word.end);
    const to = target.findIndex((word) => targetStart >= word.start && targetStart < word.end);
    if (from >= 0 && to >= 0) {
      const key = from + " " + to;
      strongest.set(key, [from, to, Math.max(weight, strongest.get(key)?.[2] ?? 0)]);
    }
  }
  return [...strongest.values()];
}

/** Places words on a line, once they can be measured; returns its width. */
function place(labels, rightToLeft) {
  let x = 0;
  for (const label of rightToLeft ? [...labels].reverse() : labels) {
    const width = label.getComputedTextLength();
    label.setAttribute("x", x);
    label.middle = x + width / 2;
    x += width + GAP;
  }
  return x;
}

/** Draws the alignment between the words; what it returns must be in the page to be measured. */
function alignment(record) {
  const source = words(record.source);
  const target = words(record.translation);
  const links = linked(record, source, target);
  const label = (y) => (word) => shape("text", { y }, word.text);
  const above = source.map(label(16));
  const below = target.map(label(92));
  const said = links.map(([from, to]) => source[from].text + " – " + target[to].text).join("; ");
  const drawing = shape("svg", { class: "alignment", height: 100, role: "img", "aria-label": "Alignment: " + said },
    ...above, ...below);
  const draw = () => {
    const width = Math.max(place(above, isRightToLeft(record.source)), place(below, isRightToLeft(record.translation)));
    drawing.setAttribute("width", Math.ceil(width));
    for (const [from, to, weight] of links) {
      drawing.append(shape("line", {
        x1: above[from].middle, y1: 24, x2: below[to].middle, y2: 74, "stroke-opacity": 0.25 + 0.75 * weight,
      }));
    }
  };
  const box = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Word alignment" }, drawing);
  return [box, draw];
}

function alternatives(record) {
  const reranked = Number.isFinite(record.alternatives[0].rerank);
  return table("Best first" + (reranked ? ", as the stage rerank weighs them" : ""),
    ["Translation", "Score", "Perplexity", "Grammar"],
    record.alternatives.map((one) => element("tr", {},
      cell(isolated(one.text)),
      cell(score(one.rerank ?? one.score), "number"),
      cell(one.scores.map((found) => decimal(found.perplexity)).join(", "), "number"),
      cell(one.checks.map((check) => (check.derivable ? "yes" : "no")).join(", ")))));
}

/**
 * Shows a record.
 *
 * @param mine whether the id of a correction is one that this page has sent
 */
export function show(panel, record, mine) {
  const parts = [text(record.source ?? "", record.language, "source")];
  if (record.refused) {
    parts.push(element("p", { className: "bad" }, "Refused by " + record.refused.stage + ": "
      + record.refused.message));
  } else if (record.translation !== undefined) {
    parts.push(element("hr"), text(record.translation, record.target, "translation"));
  }
  if (doubts(record).length > 0) {
    parts.push(element("p", { className: "bad" }, "Doubtful: " + doubts(record).join(", ") + "."));
  }
  if (record.cut) {
    parts.push(element("p", { className: "note" }, "Long texts are cut here."));
  }
  let draw = () => {};
  if (record.links?.length > 0 && record.translation) {
    const [box, drawing] = alignment(record);
    draw = drawing;
    parts.push(element("h3", {}, "Alignment"), box);
  }
  const scores = verdictsOf(record, "scores");
  parts.push(terms(...scores.map((found) =>
    ["Perplexity of the " + (found.of === "alternative" ? "translation" : found.of), perplexity(found)])));
  const checks = verdictsOf(record, "checks");
  if (checks.length > 0) {
    parts.push(element("h3", {}, "Grammar"), ...checks.map((check) => grammar(check, record)));
  }
  for (const found of record.phrases ?? []) {
    parts.push(element("h3", {}, "Phrase evidence"), found.phrases.length > 0
      ? phrases(found, mine)
      : element("p", { className: "note" }, "The parallel text has no phrase of the " + found.of + "."));
  }
  if (record.similar?.length > 0) {
    parts.push(element("h3", {}, "Similar taught sentences"), table("By the share of equal words",
      ["Sentence", "Translation", "Similarity"], record.similar.map((one) => element("tr", {},
        cell(isolated(one.source)), cell(isolated(one.text)), cell(one.similarity + " %", "number")))));
  }
  if (record.alternatives?.length > 1) {
    parts.push(element("h3", {}, "Alternatives"), alternatives(record));
  }
  const timings = (record.timings ?? []).filter((one) => !one.stage.includes("/"));
  parts.push(element("h3", {}, "Record"), terms(
    ["Feed", isolated(record.feed || record.origin || "–")],
    ["Id", record.id ? isolated(record.id) : ""],
    ["Model", record.translation === undefined ? "" : isolated(version(record))],
    ["Taught by", record.corrections?.length > 0 ? element("div", {}, ...origins(record.corrections, mine)) : ""],
    ["Score", record.score === undefined ? "" : score(record.score)],
    ["Latency", milliseconds(record.latency)],
    ["Stages", timings.map((one) => one.stage + "\u00a0" + milliseconds(one.millis).replace(" ", "\u00a0")).join(", ")],
    ["Batch", timings.length > 0 && timings[0].batch > 0 ? records(timings[0].batch) : ""]));
  panel.replaceChildren(...parts);
  draw();
}
