package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.caption.CaptionShares;
import io.latimer.pipelines.feed.caption.WebVtt;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CaptionsFeedTest {
  @TempDir Path folder;

  private final Feeds feeds = new Feeds(1_000);

  private static Settings origin(Path file, boolean follow) {
    return Feeds.captions(
        file.toString(),
        follow,
        "2026-11-23T12:00:00Z",
        Duration.ofSeconds(3),
        Duration.ofSeconds(10));
  }

  private Path resource(String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream in = getClass().getResourceAsStream("/captions/" + name)) {
      Files.copy(in, file);
    }
    return file;
  }

  /** Text, and the times of its cues. */
  private static List<String> described(List<FeedItem> items) {
    List<String> described = new ArrayList<>();
    for (FeedItem item : items) {
      described.add(
          item.content() instanceof FeedItem.Text text
              ? text.sentence().getText() + " | " + times(text.sentence())
              : Feeds.text(item));
    }
    return described;
  }

  private static String times(Sentence sentence) {
    return StandardCharsets.UTF_8
        .decode(sentence.getHeaders().get(0).getValue().duplicate())
        .toString();
  }

  private static final List<String> TALK =
      List.of(
          "Good morning, ladies & gentlemen. | 1000-2500/13 2500-4083/20",
          "I am Dr. Miller. | 4166-4500/4 4500-5500/12",
          "Thank you! | 5590-6500/10",
          "And so on | 20000-21000/9",
          "without an end | 31000-32000/14");

  @Test
  void cuesOfWebVttAreJoinedIntoSentences() throws Exception {
    Settings origin = origin(resource("talk.vtt"), false);
    List<FeedItem> items = feeds.read(origin, Feeds.config(origin).start(), 99);
    assertThat(described(items)).isEqualTo(TALK);
    Sentence second = ((FeedItem.Text) items.get(1).content()).sentence();
    assertThat(second.getId()).isEqualTo(Feeds.config(origin).location() + "-1.20");
    assertThat(second.getFeed()).isEqualTo(Feeds.config(origin).location());
    assertThat(second.getEventTime()).isEqualTo(Instant.parse("2026-11-23T12:00:04.166Z"));
  }

  @Test
  void cuesOfSubRipAreJoinedIntoSentences() throws Exception {
    Path file = resource("talk.srt");
    for (String lineEnd : List.of("\n", "\r\n", "\r")) {
      Files.writeString(file, "\ufeff" + Files.readString(file).replace("\n", lineEnd));
      Settings origin = origin(file, false);
      assertThat(described(feeds.read(origin, Feeds.config(origin).start(), 99)))
          .containsExactly(
              "Wo ist der Bahnhof? | 1000-3000/19",
              "Geradeaus, dann links. | 3000-5000/15 5000-5923/7",
              "Danke. | 6076-7000/6");
      Files.delete(file);
      resource("talk.srt");
    }
  }

  @Test
  void whereverItStopsItFindsTheSameSentences() throws Exception {
    Settings origin = origin(resource("talk.vtt"), false);
    List<String> ids =
        feeds.read(origin, Feeds.config(origin).start(), 99).stream().map(FeedItemId::of).toList();
    assertThat(ids).doesNotHaveDuplicates();
    for (int count = 1; count <= 3; count++) {
      FeedPosition position = Feeds.config(origin).start();
      List<FeedItem> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        all.addAll(feeds.read(origin, position, count));
        position = Feeds.stored(position);
      }
      assertThat(described(all)).isEqualTo(TALK);
      assertThat(all.stream().map(FeedItemId::of)).isEqualTo(ids);
    }
  }

  private static final class FeedItemId {
    static String of(FeedItem item) {
      return ((FeedItem.Text) item.content()).sentence().getId();
    }
  }

  /** Written as slowly as can be. */
  @Test
  void aFileThatGrowsHasTheSameSentences() throws Exception {
    byte[] talk = Files.readAllBytes(resource("talk.vtt"));
    Path file = Files.write(folder.resolve("live.vtt"), new byte[0]);
    AtomicInteger written = new AtomicInteger();
    feeds.onWait(
        () -> {
          int at = written.getAndIncrement();
          append(file, at < talk.length ? new byte[] {talk[at]} : new byte[] {'\n'});
        });
    Settings origin =
        Feeds.captions(file.toString(), true, "", Duration.ofSeconds(3), Duration.ofMinutes(10));
    assertThat(described(feeds.read(origin, Feeds.config(origin).start(), 4)))
        .isEqualTo(TALK.subList(0, 4));
  }

  @Test
  void theBeginningOfASentenceWaitsForALimitedTime() throws Exception {
    Path file = folder.resolve("live.srt");
    append(file, "1\n00:00:01,000 --> 00:00:02,000\nand then\n\n".getBytes(StandardCharsets.UTF_8));
    Settings origin = origin(file, true);
    FeedPosition position = Feeds.config(origin).start();
    assertThat(feeds.texts(origin, position, 1)).containsExactly("and then");
    assertThat(feeds.waits.stream().reduce(Duration.ZERO, Duration::plus))
        .isEqualTo(Duration.ofSeconds(10));
    append(file, "2\n00:00:02,000 --> 00:00:03,000\nnothing.\n\n".getBytes(StandardCharsets.UTF_8));
    assertThat(feeds.texts(origin, Feeds.stored(position), 1)).containsExactly("nothing.");
  }

  /** Each line is shown twice, as a program that captions television writes it. */
  @Test
  void linesThatRollUpAreReadOnceWhereverItStops() throws Exception {
    Path file = folder.resolve("roll.vtt");
    Files.writeString(
        file,
        """
        WEBVTT

        00:00.000 --> 00:02.000
        GOOD EVENING.

        00:02.000 --> 00:04.000
        GOOD EVENING.
        THE <i>NEWS</i>

        00:04.000 --> 00:04.010
        THE NEWS

        00:04.010 --> 00:06.000
        THE NEWS
        TODAY. NO.

        00:06.500 --> 00:08.000
        NO.
        """);
    List<String> expected =
        List.of(
            "GOOD EVENING. | 0-2000/13",
            "THE NEWS TODAY. | 2000-4000/8 4010-5204/7",
            "NO. | 5403-6000/3",
            "NO. | 6500-8000/3");
    Settings origin = origin(file, false);
    for (int count = 1; count <= 4; count++) {
      FeedPosition position = Feeds.config(origin).start();
      List<FeedItem> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.addAll(feeds.read(origin, position, count));
        position = Feeds.stored(position);
      }
      assertThat(described(all)).isEqualTo(expected);
      assertThat(all.stream().map(FeedItemId::of)).doesNotHaveDuplicates();
    }
  }

  /** WebVTT's own rule (W3C, 6.1); the blank lines are only usual. */
  @Test
  void aLineWithTimesBeginsACueWithoutABlankLine() throws Exception {
    Path file = folder.resolve("dense.vtt");
    Files.writeString(
        file,
        "\ufeff"
            + """
            WEBVTT - dense
            00:01.000 --> 00:02.000 line:1
            One.
            00:03.000 --> 00:04.000
            Two.
            00:05.000 --> 00:06.000
            Go --> on.

            id
            00:07.000 --> 00:08.000
            Three.
            """);
    Settings origin = origin(file, false);
    FeedPosition position = Feeds.config(origin).start();
    assertThat(described(feeds.read(origin, position, 2)))
        .containsExactly("One. | 1000-2000/4", "Two. | 3000-4000/4");
    assertThat(described(feeds.read(origin, Feeds.stored(position), 9)))
        .containsExactly("Go --> on. | 5000-6000/10", "Three. | 7000-8000/6");
  }

  @Test
  void aNumberAndTimesBeginACueWithoutABlankLine() throws Exception {
    Path file = folder.resolve("dense.srt");
    Files.writeString(
        file,
        """
        1
        00:00:01,000 --> 00:00:02,000
        One.
        2
        00:00:03,000 --> 00:00:04,000
        In 1999
        2000
        3
        00:00:05,000 --> 00:00:06,000
        and 2001.
        4
        00:00:07,000 --> 00:00:08,000
        12

        5
        00:00:09,000 --> 00:00:10,000
        Five.
        """);
    Settings origin = origin(file, false);
    List<String> expected =
        List.of(
            "One. | 1000-2000/4",
            "In 1999 2000 and 2001. | 3000-4000/12 5000-6000/10",
            "12 Five. | 7000-8000/2 9000-10000/6");
    assertThat(described(feeds.read(origin, Feeds.config(origin).start(), 9))).isEqualTo(expected);
    FeedPosition position = Feeds.config(origin).start();
    List<String> read = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      read.addAll(described(feeds.read(origin, position, 1)));
      position = Feeds.stored(position);
    }
    assertThat(read).isEqualTo(expected);
  }

  /** WebVTT's parser takes what comes behind the times for settings, whatever it is. */
  @Test
  void timesNeedNoSpacesAroundThem() throws Exception {
    Path file = folder.resolve("glued.vtt");
    Files.writeString(
        file,
        """
        WEBVTT

        00:01.000-->00:02.000
        One.

        00:03.000 --> 00:04.000line:0 align:start
        Two.

        00:05.000 --> 00:06.0000
        More digits are no time.
        """);
    Settings origin = origin(file, false);
    List<String> texts = described(feeds.read(origin, Feeds.config(origin).start(), 9));
    assertThat(texts.subList(0, 2)).containsExactly("One. | 1000-2000/4", "Two. | 3000-4000/4");
    assertThat(texts.get(2)).startsWith("refused: the cue has no times");
  }

  @Test
  void aReferenceOfHtmlIsReadAndWrittenBack() throws Exception {
    Path file = folder.resolve("references.vtt");
    Files.writeString(
        file,
        """
        WEBVTT

        00:01.000 --> 00:02.000
        &lrm;a &NotEqual;b &ltc &amp;lrm; &lt;i&gt; --&gt; \u2002e
        """);
    Settings origin = origin(file, false);
    FeedItem item = feeds.read(origin, Feeds.config(origin).start(), 1).get(0);
    String text = "\u200ea \u2260b <c &lrm; <i> --> \u2002e";
    assertThat(Feeds.text(item)).isEqualTo(text);
    String written = WebVtt.HEAD + new WebVtt().cues(translation(item, text));
    assertThat(written).contains("\u200ea \u2260b &lt;c &amp;lrm; &lt;i&gt; --&gt;");
    Path again = Files.writeString(folder.resolve("again.vtt"), written);
    assertThat(feeds.texts(origin(again, false), Feeds.config(origin(again, false)).start(), 1))
        .containsExactly(text);
  }

  /** Counted from the first line of the file, wherever reading begins. */
  @Test
  void aRefusedCueHasItsLineInTheFile() throws Exception {
    for (String lineEnd : List.of("\n", "\r\n", "\r")) {
      Path file = folder.resolve("lines.vtt");
      Files.writeString(
          file,
          """
          WEBVTT
          Kind: captions

          NOTE
          more lines

          1
          00:01.000 --> 00:02.000
          One.
          Two.


          2
          00:03.000 -- 00:04.000
          Bad.

          3
          00:05.000 --> 00:06.000
          Three.
          4
          00:07.000 --> 00:08.000
          Four.

          bad, too
          """
              .replace("\n", lineEnd));
      Settings origin = origin(file, false);
      List<Long> lines = List.of(6L, 6L, 12L, 16L, 19L, 23L);
      assertThat(
              feeds.read(origin, Feeds.config(origin).start(), 9).stream()
                  .map(item -> item.origin().getOffset()))
          .isEqualTo(lines);
      FeedPosition position = Feeds.config(origin).start();
      List<Long> resumed = new ArrayList<>();
      for (int i = 0; i < 7; i++) {
        feeds.read(origin, position, 1).forEach(item -> resumed.add(item.origin().getOffset()));
        position = Feeds.stored(position);
      }
      assertThat(resumed).isEqualTo(lines);
    }
  }

  @Test
  void aTranslationIsShownForAMillisecondAtLeast() {
    CaptionShares none = CaptionShares.of("2000-2000/4").orElseThrow();
    assertThat(WebVtt.cues("Ja.", none)).isEqualTo("00:00:02.000 --> 00:00:02.001\nJa.\n\n");
  }

  @Test
  void aFileThatIsReplacedIsReadFromItsStart() throws Exception {
    Path file = folder.resolve("live.srt");
    append(file, "00:01.000 --> 00:02.000\nbefore\n".getBytes(StandardCharsets.UTF_8));
    AtomicInteger waits = new AtomicInteger();
    feeds.onWait(
        () -> {
          if (waits.getAndIncrement() == 0) {
            replace(file, "00:01.000 --> 00:02.000\nOne. Two.\n\n");
          }
        });
    Settings origin = origin(file, true);
    FeedPosition position = Feeds.config(origin).start();
    List<FeedItem> first = feeds.read(origin, position, 2);
    assertThat(first.stream().map(Feeds::text)).containsExactly("before", "One.");
    assertThat(feeds.texts(origin, Feeds.stored(position), 1)).containsExactly("Two.");
  }

  @Test
  void whatIsNoCueIsRefusedAndItsNeighboursGoOn() throws Exception {
    Path file = folder.resolve("bad.srt");
    append(
        file,
        ("1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n"
                + "no times\n\n"
                + "2\n00:00:99,000 --> 00:00:02,000\nTwo.\n\n"
                + "3\n00:00:03,000 --> 00:00:01,000\n"
                + "x".repeat(5_000)
                + "\n\n"
                + "4\n00:00:04,000 --> 00:00:01,000\nFour.\n\n\n\n"
                + "5\n00:00:05,000 --> 00:00:06,000\n\n"
                + "6\n00:00:06,000 --> 00:00:07,000\n")
            .getBytes(StandardCharsets.UTF_8));
    append(file, new byte[] {(byte) 0xff});
    Settings origin = origin(file, false);
    FeedPosition position = Feeds.config(origin).start();
    List<String> texts = described(feeds.read(origin, position, 99));
    assertThat(texts.get(0)).isEqualTo("One. | 1000-2000/4");
    assertThat(texts.get(1)).contains("refused: the cue has no times such as");
    assertThat(texts.get(2)).contains("refused: the cue has no times such as");
    assertThat(texts.get(3)).contains("refused: the cue has more than 1000 bytes");
    assertThat(texts.get(4)).isEqualTo("Four. | 4000-4000/5");
    assertThat(texts.get(5)).contains("refused: the cue is not valid UTF-8");
    assertThat(texts).hasSize(6);
    assertThat(feeds.texts(origin, Feeds.stored(position), 9)).isEmpty();
  }

  @Test
  void captionsWithoutPunctuationAreCut() throws Exception {
    Path file = folder.resolve("long.srt");
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      words.add("word ".repeat(19) + i);
      append(
          file,
          String.format("00:%02d.000 --> 00:%02d.000\n%s\n\n", i, i + 1, words.get(i))
              .getBytes(StandardCharsets.UTF_8));
    }
    Settings origin = origin(file, false);
    List<String> texts = feeds.texts(origin, Feeds.config(origin).start(), 99);
    assertThat(texts).hasSize(3).allMatch(text -> text.length() <= 1_200);
    assertThat(String.join(" ", texts)).isEqualTo(String.join(" ", words));
  }

  @Test
  void translationsBecomeWebVttWithTheTimesOfTheCues() throws Exception {
    Settings origin = origin(resource("talk.vtt"), false);
    WebVtt vtt = new WebVtt();
    StringBuilder out = new StringBuilder(WebVtt.HEAD);
    List<String> german =
        List.of(
            "Guten Morgen, meine Damen & Herren.",
            "Ich bin Dr. <Miller>.",
            "Danke!",
            "Und so weiter",
            "ohne Ende");
    List<FeedItem> items = feeds.read(origin, Feeds.config(origin).start(), 99);
    for (int i = 0; i < items.size(); i++) {
      byte[] translation = translation(items.get(i), german.get(i));
      out.append(vtt.cues(translation));
      assertThat(vtt.cues(translation)).as("again").isEmpty();
    }
    assertThat(out.toString())
        .isEqualTo(
            """
            WEBVTT

            00:00:01.000 --> 00:00:02.500
            Guten Morgen,

            00:00:02.500 --> 00:00:04.083
            meine Damen &amp; Herren.

            00:00:04.166 --> 00:00:04.500
            Ich

            00:00:04.500 --> 00:00:05.500
            bin Dr. &lt;Miller&gt;.

            00:00:05.590 --> 00:00:06.500
            Danke!

            00:00:20.000 --> 00:00:21.000
            Und so weiter

            00:00:31.000 --> 00:00:32.000
            ohne Ende

            """);
    // what was written is read again
    Path written = Files.writeString(folder.resolve("de.vtt"), out);
    Settings german2 = origin(written, false);
    assertThat(feeds.texts(german2, Feeds.config(german2).start(), 99))
        .containsExactly(
            "Guten Morgen, meine Damen & Herren.",
            "Ich bin Dr. <Miller>.",
            "Danke!",
            "Und so weiter",
            "ohne Ende");
  }

  private static byte[] translation(FeedItem item, String text) {
    String source = RecordJson.of(((FeedItem.Text) item.content()).sentence());
    return ("{\"source\":" + source + ",\"targetLanguage\":\"de\",\"text\":\"" + text + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aTextOfAnyLengthIsDividedAmongItsCues() {
    CaptionShares shares = CaptionShares.of("0-1000/5 1000-2000/5 2000-3000/10").orElseThrow();
    assertThat(WebVtt.cues("", shares)).isEmpty();
    assertThat(WebVtt.cues("Donaudampfschiff", shares))
        .isEqualTo("00:00:00.000 --> 00:00:03.000\nDonaudampfschiff\n\n");
    assertThat(WebVtt.cues("a\n\nb --> c\r\nd", shares))
        .isEqualTo(
            """
            00:00:00.000 --> 00:00:01.000
            a

            00:00:01.000 --> 00:00:02.000
            b

            00:00:02.000 --> 00:00:03.000
            --&gt; c d

            """);
    assertThat(WebVtt.cues("\u4f60\u597d\u4e16\u754c", shares))
        .isEqualTo(
            """
            00:00:00.000 --> 00:00:01.000
            \u4f60

            00:00:01.000 --> 00:00:02.000
            \u597d

            00:00:02.000 --> 00:00:03.000
            \u4e16\u754c

            """);
  }

  @Test
  void whatHasNoTimesIsRefused() {
    for (String json :
        List.of(
            "",
            "[]",
            "{\"text\":1}",
            "{\"text\":\"a\"}",
            "{\"text\":\"a\",\"headers\":[{\"key\":\"captions\",\"value\":\"2-1/3\"}]}",
            "{\"text\":\"a\",\"headers\":[{\"key\":\"captions\",\"value\":null}]}",
            "{\"text\":\"a\",\"headers\":[{\"key\":\"captions\",\"value\":\"1-2/99999999\"}]}")) {
      assertThatThrownBy(() -> new WebVtt().cues(json.getBytes(StandardCharsets.UTF_8)))
          .as(json)
          .isInstanceOf(RecordException.class);
    }
  }

  private static void append(Path file, byte[] bytes) {
    try {
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void replace(Path file, String text) {
    try {
      Files.delete(file);
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
