package io.latimer.pipelines.feed.caption;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.operators.RecordException;
import io.latimer.pipelines.feed.text.Json;
import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Writes translated captions as WebVTT (W3C). A translation is divided among the cues of its
 * sentence in proportion to their lengths, at possible line breaks. Used by one thread.
 */
public final class WebVtt {
  /** The header of a file. */
  public static final String HEAD = "WEBVTT\n\n";

  /** Number of remembered records, because a restarted job may print records again. */
  private static final int REMEMBERED = 1_024;

  private final Set<String> seen = new LinkedHashSet<>();

  /**
   * Formats the cues of a record.
   *
   * @param json a {@code Translation} or {@code Sentence}, as sinks write it in JSON
   * @return empty for a repeated record
   * @throws RecordException if it is not such a record, or has no caption times
   */
  public String cues(byte[] json) {
    JsonNode record = Json.object(json);
    if (record == null || !record.path("text").isTextual()) {
      throw new RecordException(
          "it is no record in JSON; let a sink of the job write format: json");
    }
    JsonNode sentence = record.has("source") ? record.path("source") : record;
    CaptionShares shares =
        shares(sentence.path("headers"))
            .orElseThrow(
                () ->
                    new RecordException(
                        "the record has no header "
                            + CaptionShares.HEADER
                            + " with times; let the job read captions"));
    String id = sentence.path("id").asText();
    if (!id.isEmpty() && !seen.add(id)) {
      return "";
    }
    if (seen.size() > REMEMBERED) {
      seen.remove(seen.iterator().next());
    }
    return cues(record.path("text").textValue(), shares);
  }

  private static Optional<CaptionShares> shares(JsonNode headers) {
    for (JsonNode header : headers) {
      if (header.path("key").asText().equals(CaptionShares.HEADER)) {
        return CaptionShares.of(header.path("value").asText());
      }
    }
    return Optional.empty();
  }

  /** The cues of a text. */
  public static String cues(String translation, CaptionShares shares) {
    String line = translation.strip().replaceAll("\\s+", " ");
    long total = Math.max(1, shares.shares().stream().mapToLong(CaptionShares.Share::length).sum());
    BreakIterator breaks = BreakIterator.getLineInstance(Locale.ROOT);
    breaks.setText(line);
    List<Cue> cues = new ArrayList<>();
    int begin = 0;
    long before = 0;
    long start = shares.shares().get(0).startMillis();
    for (int i = 0; i < shares.shares().size(); i++) {
      CaptionShares.Share share = shares.shares().get(i);
      before += share.length();
      boolean last = i == shares.shares().size() - 1;
      int end = last ? line.length() : nearest(breaks, line, begin, before * line.length() / total);
      String part = line.substring(begin, end).strip();
      if (!part.isEmpty()) {
        cues.add(new Cue(cues.isEmpty() ? start : share.startMillis(), share.endMillis(), part));
      } else if (!cues.isEmpty()) {
        // a time without text lengthens the cue before it
        Cue shown = cues.remove(cues.size() - 1);
        cues.add(new Cue(shown.startMillis(), share.endMillis(), shown.text()));
      }
      begin = end;
    }
    StringBuilder text = new StringBuilder();
    for (Cue cue : cues) {
      text.append(time(cue.startMillis())).append(" --> ");
      // a cue of zero length would never be shown
      text.append(time(Math.max(cue.startMillis() + 1, cue.endMillis())));
      text.append('\n').append(escaped(cue.text())).append("\n\n");
    }
    return text.toString();
  }

  /** The possible line break nearest to a position, but not before {@code from}. */
  private static int nearest(BreakIterator breaks, String line, int from, long at) {
    if (at <= from) {
      return from;
    }
    if (at >= line.length()) {
      return line.length();
    }
    int after = breaks.isBoundary((int) at) ? (int) at : breaks.following((int) at);
    int before = breaks.isBoundary((int) at) ? (int) at : breaks.preceding((int) at);
    return before > from && at - before <= after - at ? before : after;
  }

  private static String time(long millis) {
    return String.format(
        Locale.ROOT,
        "%02d:%02d:%02d.%03d",
        millis / 3_600_000,
        millis / 60_000 % 60,
        millis / 1_000 % 60,
        millis % 1_000);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
