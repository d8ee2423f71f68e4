package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.Settings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StandardInputFeedTest {
  private final Feeds feeds = new Feeds(10);
  private final Settings stdin = Feeds.stdin();

  /** As a restarted job does, in the same process. */
  @Test
  void aLaterFeedGoesOnWithTheNextLine() throws Exception {
    String text = "one\ntwo\n" + "x".repeat(100_000) + "\nfour";
    feeds.in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    FeedPosition position = Feeds.config(stdin).start();
    assertThat(feeds.texts(stdin, position, 1)).containsExactly("one");
    assertThat(feeds.read(stdin, Feeds.stored(position), 1).get(0).origin().getOffset())
        .isEqualTo(1);
    assertThat(feeds.texts(stdin, position, 9)).containsExactly("x".repeat(11), "four");
    assertThat(feeds.texts(stdin, position, 9)).isEmpty();
  }

  @Test
  void closingEndsAWaitForALine() throws Exception {
    try (PipedInputStream silent = new PipedInputStream(new PipedOutputStream())) {
      feeds.in = silent;
      Feed feed = Feeds.config(stdin).open(Feeds.config(stdin).start(), feeds.context());
      Thread closer =
          new Thread(
              () -> {
                try {
                  Thread.sleep(50);
                  feed.close();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      closer.start();
      assertThat(feed.next()).isNull();
      closer.join();
    }
  }

  /** Such as too little memory: the feed that asks learns of it, and the next one goes on. */
  @Test
  void anErrorOfTheJvmEndsTheFeedButNotTheInput() throws Exception {
    feeds.in = new FailingInput("one\n", "two\n");
    FeedPosition position = Feeds.config(stdin).start();
    assertThat(feeds.texts(stdin, position, 1)).containsExactly("one");
    assertThatThrownBy(() -> feeds.texts(stdin, position, 1)).isInstanceOf(OutOfMemoryError.class);
    assertThat(feeds.texts(stdin, position, 9)).containsExactly("two");
  }

  /** Two texts, with an error in between. */
  private static final class FailingInput extends InputStream {
    private final Queue<InputStream> parts = new ArrayDeque<>();

    FailingInput(String before, String after) {
      parts.add(new ByteArrayInputStream(before.getBytes(StandardCharsets.UTF_8)));
      parts.add(new ByteArrayInputStream(after.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int n = parts.element().read(bytes, from, length);
      if (n < 0 && parts.size() > 1) {
        parts.remove();
        throw new OutOfMemoryError("as the test wants");
      }
      return n;
    }
  }

  @Test
  void anErrorIsTold() {
    feeds.in =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("it is closed");
          }

          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
          }
        };
    assertThatThrownBy(() -> feeds.texts(stdin, Feeds.config(stdin).start(), 1))
        .isInstanceOf(FeedException.class)
        .hasMessage("standard input cannot be read: it is closed");
  }
}
