package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LinesFeedTest {
  @TempDir Path folder;

  private final Feeds feeds = new Feeds(100);
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("feed.txt");
  }

  private Settings whole() {
    return Feeds.lines(file.toString(), false);
  }

  private Settings followed() {
    return Feeds.lines(file.toString(), true);
  }

  private void append(String text) {
    append(file, text);
  }

  private static void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aFileIsReadToItsEnd() throws Exception {
    append("one\r\ntwo\n\nno line end");
    FeedPosition position = Feeds.config(whole()).start();
    List<FeedItem> items = feeds.read(whole(), position, 9);
    assertThat(items.stream().map(Feeds::text)).containsExactly("one", "two", "", "no line end");
    assertThat(items.get(2).origin().getSource()).isEqualTo(file.toString());
    assertThat(items.get(2).origin().getOffset()).isEqualTo(2);
  }

  @Test
  void everyLineIsReadOnceWhereverItStops() throws Exception {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      lines.add("line " + i + " " + "x".repeat(i));
    }
    append(String.join("\n", lines) + "\n");
    FeedPosition position = Feeds.config(whole()).start();
    List<String> read = new ArrayList<>();
    for (int count = 1; read.size() < lines.size(); count++) {
      read.addAll(feeds.texts(whole(), position, count));
      position = Feeds.stored(position);
    }
    assertThat(read).isEqualTo(lines);
    assertThat(feeds.texts(whole(), position, 1)).isEmpty();
  }

  @Test
  void aLineThatIsBeingWrittenWaitsForItsEnd() throws Exception {
    append("one\ntw");
    AtomicInteger waits = new AtomicInteger();
    feeds.onWait(() -> append(waits.getAndIncrement() == 0 ? "o, and" : " more\nthree\n"));
    assertThat(feeds.texts(followed(), Feeds.config(followed()).start(), 3))
        .containsExactly("one", "two, and more", "three");
  }

  @Test
  void aFileThatIsRotatedIsReadToItsEndAndThenTheNewOne() throws Exception {
    append("one\n");
    AtomicInteger waits = new AtomicInteger();
    feeds.onWait(
        () -> {
          if (waits.getAndIncrement() == 0) {
            append("last of the old");
            move(file, folder.resolve("feed.1"));
            append("first of the new\n");
          }
        });
    FeedPosition position = Feeds.config(followed()).start();
    List<FeedItem> items = feeds.read(followed(), position, 3);
    assertThat(items.stream().map(Feeds::text))
        .containsExactly("one", "last of the old", "first of the new");
    assertThat(items.get(2).origin().getOffset()).isEqualTo(2);
    append("second\n");
    assertThat(feeds.texts(followed(), Feeds.stored(position), 1)).containsExactly("second");
  }

  /** As between the renaming and the signal to the writer that logrotate sends. */
  @Test
  void whatIsWrittenToTheOldFileAfterARotationIsRead() throws Exception {
    append("one\n");
    Path old = folder.resolve("feed.1");
    feeds.onWait(
        () -> {
          switch (feeds.waits.size()) {
            case 1 -> {
              move(file, old);
              append("first of the new\n");
            }
            case 3 -> append(old, "two\nthr");
            case 12 -> append(old, "ee\n");
            default -> {}
          }
        });
    FeedPosition position = Feeds.config(followed()).start();
    assertThat(feeds.texts(followed(), position, 4))
        .containsExactly("one", "two", "three", "first of the new");
    assertThat(feeds.warnings).isEmpty();
  }

  @Test
  void aFileThatIsRotatedTwiceBeforeItsPredecessorIsReadIsNotMissed() throws Exception {
    append("one\n");
    feeds.onWait(
        () -> {
          switch (feeds.waits.size()) {
            case 2, 4, 6 -> {
              move(file, folder.resolve("feed." + feeds.waits.size()));
              append("after " + feeds.waits.size() + "\n");
            }
            default -> {}
          }
        });
    assertThat(feeds.texts(followed(), Feeds.config(followed()).start(), 4))
        .containsExactly("one", "after 2", "after 4", "after 6");
  }

  /** The reader is behind: its clock runs while it reads. */
  @Test
  void aFileThatIsRotatedTwiceWhileItIsReadIsNotMissed() throws Exception {
    append("one\ntwo\nthree\n");
    FeedPosition position = Feeds.config(followed()).start();
    try (Feed feed = Feeds.config(followed()).open(position, feeds.context())) {
      for (int i = 0; i < 2; i++) {
        feed.next();
        move(file, folder.resolve("feed." + i));
        append("after " + i + "\n");
        feeds.pass(Duration.ofSeconds(1));
      }
      for (String expected : List.of("three", "after 0", "after 1")) {
        assertThat(Feeds.text(feed.next())).isEqualTo(expected);
      }
    }
  }

  @Test
  void aLineThatIsTakenBackWhileItIsWrittenIsNotRead() throws Exception {
    append("one\ntwo, a long beginning");
    feeds.onWait(
        () -> {
          switch (feeds.waits.size()) {
            case 1 -> write("one\n2");
            case 2 -> append("nd\n");
            default -> {}
          }
        });
    assertThat(feeds.texts(followed(), Feeds.config(followed()).start(), 2))
        .containsExactly("one", "2nd");
  }

  @Test
  void aFileThatIsTruncatedOrReplacedIsReadFromItsStart() throws Exception {
    append("one\ntwo\n");
    AtomicInteger waits = new AtomicInteger();
    feeds.onWait(
        () -> {
          if (waits.getAndIncrement() == 0) {
            write("new\n");
          }
        });
    FeedPosition position = Feeds.config(followed()).start();
    assertThat(feeds.texts(followed(), position, 3)).containsExactly("one", "two", "new");
    // longer than what was read, while nothing was looking
    write("other content, longer than before\n");
    assertThat(feeds.texts(followed(), Feeds.stored(position), 1))
        .containsExactly("other content, longer than before");
    assertThat(feeds.warnings).hasSize(2).allMatch(text -> text.contains("from its start"));
  }

  @Test
  void aLongLineIsCutToOneByteMoreThanTheMaximum() throws Exception {
    append("x".repeat(500_000) + "\nafter\n");
    List<String> texts = feeds.texts(whole(), Feeds.config(whole()).start(), 2);
    assertThat(texts.get(0)).hasSize(101);
    assertThat(texts.get(1)).isEqualTo("after");
  }

  @Test
  void aFollowedFileMayComeLater() throws Exception {
    feeds.onWait(
        () -> {
          if (feeds.waits.size() == 3) {
            append("at last\n");
          }
        });
    assertThat(feeds.texts(followed(), Feeds.config(followed()).start(), 1))
        .containsExactly("at last");
    assertThat(feeds.warnings).hasSize(3).allMatch(text -> text.contains("no such file"));
  }

  @Test
  void aMissingFileIsAnErrorAndSoIsOneThatNeverComes() {
    assertThatThrownBy(() -> feeds.texts(whole(), Feeds.config(whole()).start(), 1))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> feeds.texts(followed(), Feeds.config(followed()).start(), 1))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("could not be read for")
        .hasMessageContaining("raise give-up");
  }

  @Test
  void aPositionOfAnotherFeedIsRefused() {
    assertThatThrownBy(() -> feeds.texts(whole(), new FeedPosition("lines /other"), 1))
        .hasMessageContaining("belongs to the feed lines /other, but the feed is lines " + file);
  }

  @Test
  void aDamagedPositionIsRefused() throws Exception {
    for (String bytes :
        List.of(
            "",
            "[]",
            "{}",
            "{\"version\":1,\"feed\":\"a\",\"cursor\":\"\",\"seen\":\"AAA=\"}",
            "{\"version\":1,\"feed\":\"a\",\"cursor\":\"\",\"seen\":\"?\"}")) {
      assertThatThrownBy(() -> FeedPosition.of(bytes.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(FeedException.class)
          .hasMessageContaining("damaged");
    }
    assertThatThrownBy(() -> FeedPosition.of("{\"version\":2}".getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("version 2");
    assertThatThrownBy(
            () ->
                feeds.texts(
                    whole(),
                    FeedPosition.of(
                        ("{\"version\":1,\"feed\":\"lines "
                                + file
                                + "\",\"cursor\":\"12:x\",\"seen\":\"\"}")
                            .getBytes(StandardCharsets.UTF_8)),
                    1))
        .hasMessageContaining("damaged");
  }

  private void write(String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
