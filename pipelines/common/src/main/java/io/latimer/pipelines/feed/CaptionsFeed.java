package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.caption.CaptionSentences;
import io.latimer.pipelines.feed.caption.CaptionShares;
import io.latimer.pipelines.feed.caption.Cue;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sentences of captions. A position is a cue and how much of its text has been read, so that a
 * restart reads the file from there and finds the same sentences.
 */
final class CaptionsFeed implements Feed {
  private static final int MAX_LINES = 1_000;

  /** The number of lines before a position, until they are counted. */
  private static final long UNKNOWN = -1;

  /** Lengths of the skipped prefix of a cue's text, and of its repeated part. */
  private static final Pattern DETAIL = Pattern.compile("(?:([0-9]{1,9})(?::([0-9]{1,9}))?)?");

  private final Settings settings;
  private final Path path;
  private final FeedContext context;
  private final FollowedLines lines;
  private final CaptionSentences sentences;
  private final Queue<FeedItem> pending = new ArrayDeque<>();

  // the lines since the last blank one
  private final List<byte[]> block = new ArrayList<>();
  private int blockBytes;
  private long blockFrom;
  private long blockTo;

  /** The line at which the block begins, from 0, and the number of lines before the next one. */
  private long blockLine;

  private long nextLine;

  /** The offset of the last line of the block. */
  private long lastFrom;

  private boolean tooLong;

  /** The previous cue; null if there is none. */
  private Cue shown;

  private long number;
  private int skipped;
  private int rolled;
  private boolean ended;

  /**
   * Whether emitted items are from a file that was replaced, so that the next place is in the new
   * one.
   */
  private boolean elsewhere;

  CaptionsFeed(Settings settings, FeedPosition position, FeedContext context, Backoff backoff)
      throws FeedException {
    this.settings = settings;
    path = Path.of(settings.get(FeedKeys.Captions.PATH));
    this.context = context;
    FileCursor start = FileCursor.of(position);
    lines =
        new FollowedLines(
            path, settings.get(FeedKeys.Captions.FOLLOW), true, start, context, backoff);
    sentences =
        new CaptionSentences(
            context.language(), settings.get(FeedKeys.Captions.MAX_GAP).toMillis());
    number = start.number();
    blockFrom = start.offset();
    blockTo = start.offset();
    nextLine = start.offset() == 0 ? 0 : UNKNOWN;
    Matcher detail = DETAIL.matcher(start.detail());
    if (!detail.matches()) {
      throw new FeedException("the position of the captions is damaged; remove it to start anew");
    }
    skipped = detail.group(1) == null ? 0 : Integer.parseInt(detail.group(1));
    rolled = detail.group(2) == null ? 0 : Integer.parseInt(detail.group(2));
  }

  @Override
  public void probe() throws IOException {
    lines.probe();
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (pending.isEmpty() && !ended) {
      Duration patience =
          sentences.isWaiting() ? settings.get(FeedKeys.Captions.MAX_WAIT) : Duration.ZERO;
      FollowedLines.Line line = lines.next(patience);
      if (line == null) {
        endOfFile();
        ended = true;
      } else if (line.bytes() == null) {
        emit(sentences.end());
      } else {
        add(line);
      }
    }
    return pending.poll();
  }

  private void add(FollowedLines.Line line) throws IOException {
    if (line.restarted()) {
      elsewhere = true;
      endOfFile();
      elsewhere = false;
      blockFrom = 0;
      blockTo = 0;
      nextLine = 0;
      skipped = 0;
      rolled = 0;
      shown = null;
    }
    if (nextLine == UNKNOWN) {
      nextLine = lines.linesBefore(blockFrom);
    }
    byte[] bytes = line.bytes();
    if (Cue.beginsAfter(block, bytes)) {
      endBeforeTimes();
    }
    if (isBlank(bytes)) {
      blockTo = line.to();
      nextLine++;
      endOfBlock();
      blockFrom = line.to();
      return;
    }
    append(bytes);
    lastFrom = blockTo;
    blockTo = line.to();
    nextLine++;
  }

  private void append(byte[] bytes) {
    if (block.isEmpty() && !tooLong) {
      blockLine = nextLine;
    }
    if (block.size() == MAX_LINES || blockBytes + bytes.length > context.maxRecordBytes()) {
      tooLong = true;
    } else {
      block.add(bytes);
      blockBytes += bytes.length;
    }
  }

  /**
   * Ends the block before a cue that begins without a blank line; a number before its times belongs
   * to it.
   */
  private void endBeforeTimes() throws IOException {
    byte[] last = block.get(block.size() - 1);
    boolean numbered = !tooLong && Cue.isNumber(last);
    if (!numbered) {
      endOfBlock();
      blockFrom = blockTo;
      return;
    }
    long to = blockTo;
    block.remove(block.size() - 1);
    blockTo = lastFrom;
    nextLine--;
    endOfBlock();
    blockFrom = blockTo;
    append(last);
    blockTo = to;
    nextLine++;
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return false;
      }
    }
    return true;
  }

  private void endOfFile() throws IOException {
    endOfBlock();
    emit(sentences.end());
  }

  private void endOfBlock() throws IOException {
    if (block.isEmpty() && !tooLong) {
      return;
    }
    try {
      if (tooLong) {
        throw new Cue.InvalidCueException(
            "the cue has more than "
                + context.maxRecordBytes()
                + " bytes or "
                + MAX_LINES
                + " lines, and this letter contains its beginning");
      }
      Cue cue = Cue.of(block);
      if (cue != null) {
        context.meter().item();
        if (!settings.get(FeedKeys.Captions.START).isEmpty()) {
          context.meter().time(time(cue.endMillis()));
        }
        int repeated = shown == null ? Math.min(rolled, cue.text().length()) : cue.rolledUp(shown);
        int before = Math.max(repeated, Math.min(skipped, cue.text().length()));
        shown = cue;
        emit(
            sentences.add(
                new CaptionSentences.Placed(
                    cue, number++, blockLine, blockFrom, repeated, before)));
        skipped = 0;
      }
    } catch (Cue.InvalidCueException e) {
      refuse(e.getMessage());
    } finally {
      block.clear();
      blockBytes = 0;
      tooLong = false;
    }
  }

  /** Ends the pending sentence, so that the position is after both. */
  private void refuse(String reason) throws IOException {
    emit(sentences.end());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] line : block) {
      bytes.write(line, 0, line.length);
      bytes.write('\n');
    }
    skipped = 0;
    context.meter().item();
    number++;
    SourcePosition at = new SourcePosition(path.toString(), -1, blockLine, Instant.now());
    pending.add(
        new FeedItem(
            new FeedItem.Refused(bytes.toByteArray(), reason),
            at,
            "",
            cursor(new CaptionSentences.Place(blockTo, number, 0, 0))));
  }

  private void emit(List<CaptionSentences.Joined> joined) throws IOException {
    for (CaptionSentences.Joined one : joined) {
      Instant time = time(one.shares().shares().get(0).startMillis());
      Sentence sentence =
          FeedSentence.of(
              path + "-" + one.number() + (one.within() == 0 ? "" : "." + one.within()),
              context.nameOr(path.toString()),
              "",
              one.text(),
              time,
              CaptionShares.HEADER,
              one.shares().text());
      pending.add(
          new FeedItem(
              new FeedItem.Text(sentence),
              new SourcePosition(path.toString(), -1, one.line(), time),
              "",
              cursor(one.next())));
    }
  }

  private Instant time(long millis) {
    return settings.get(FeedKeys.Captions.START).isEmpty()
        ? Instant.now()
        : OffsetDateTime.parse(settings.get(FeedKeys.Captions.START))
            .toInstant()
            .plusMillis(millis);
  }

  private String cursor(CaptionSentences.Place place) throws IOException {
    if (elsewhere) {
      return new FileCursor(0, number, "", "").text();
    }
    String fingerprint = lines.fingerprint(place.offset());
    String detail = place.skipped() == 0 ? "" : Integer.toString(place.skipped());
    if (place.repeated() > 0) {
      detail += ":" + place.repeated();
    }
    return new FileCursor(place.offset(), place.number(), fingerprint, detail).text();
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
