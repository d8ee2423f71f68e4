package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.Settings;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A feed and how to read it: a view of the settings of {@code source: feed}.
 *
 * @param settings of the section {@link FeedKeys#SECTION}
 */
public record FeedConfig(Settings settings) implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * Creates a feed.
   *
   * @throws IllegalArgumentException if the settings do not fit; the message begins with the path
   *     of the key, from {@code from}
   */
  public FeedConfig {
    Settings from = settings.get(FeedKeys.FROM).settings();
    if (from.has(FeedKeys.Wikimedia.WHERE)) {
      for (String pointer : from.get(FeedKeys.Wikimedia.WHERE).keySet()) {
        if (!FeedKeys.isPointer(pointer)) {
          throw new IllegalArgumentException(
              "from.wikimedia.where: "
                  + pointer
                  + " is not a JSON pointer; write it as /"
                  + pointer);
        }
      }
    }
  }

  /** The settings as a file, for serialization: keys have their identity only in a process. */
  private record Written(String yaml) implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object readResolve() {
      // its paths are absolute
      return new FeedConfig(ConfigFile.read(FeedKeys.SECTION, yaml, "feed", Path.of("/")));
    }
  }

  private Object writeReplace() {
    return new Written(ConfigFile.write(settings));
  }

  /** The kind's name in job files and commands. */
  public String kind() {
    return settings.get(FeedKeys.FROM).kind();
  }

  private Settings from() {
    return settings.get(FeedKeys.FROM).settings();
  }

  /** Its address or path, for messages and the origins of records. */
  public String location() {
    return switch (kind()) {
      case "wikimedia" -> from().get(FeedKeys.Wikimedia.URL);
      case "rss" -> from().get(FeedKeys.Rss.URL);
      case "bluesky" -> from().get(FeedKeys.Bluesky.URL);
      case "captions" -> from().get(FeedKeys.Captions.PATH);
      case "lines" -> from().get(FeedKeys.Lines.PATH);
      default -> "standard input";
    };
  }

  /** Whether it ends by itself. */
  public boolean hasEnd() {
    return switch (kind()) {
      case "rss" -> from().get(FeedKeys.Rss.POLL).isZero();
      case "captions" -> !from().get(FeedKeys.Captions.FOLLOW);
      case "lines" -> !from().get(FeedKeys.Lines.FOLLOW);
      case "stdin" -> true;
      default -> false;
    };
  }

  /** Identifies the feed in its positions. */
  public String id() {
    return kind() + " " + location();
  }

  /** The start of the feed. */
  public FeedPosition start() {
    return new FeedPosition(id());
  }

  /**
   * Opens the feed; it connects when it is first read.
   *
   * @throws FeedException if the position belongs to another feed, or the feed cannot be opened
   */
  public Feed open(FeedPosition position, FeedContext context) throws FeedException {
    if (!position.feed().equals(id())) {
      throw new FeedException(
          "the position belongs to the feed "
              + position.feed()
              + ", but the feed is "
              + id()
              + "; restore the old address, or start without the position");
    }
    FeedPosition own = position.copy();
    Backoff backoff = new Backoff(location(), settings.get(FeedKeys.GIVE_UP), context);
    return switch (kind()) {
      case "wikimedia" -> new EventStreamFeed(from(), own, context, backoff);
      case "rss" -> new RssFeed(from(), own, context, backoff);
      case "bluesky" -> new BlueskyFeed(from(), own, context, backoff);
      case "captions" -> new CaptionsFeed(from(), own, context, backoff);
      case "lines" -> new LinesFeed(from(), own, context, backoff);
      case "stdin" -> new StandardInputFeed(own, context);
      default -> throw new IllegalStateException("feed " + kind());
    };
  }

  /**
   * Checks whether the feed can be read, with one attempt and without reading items.
   *
   * @param patience maximum time for the check
   * @throws IOException if it cannot be read; the message says why. {@link
   *     java.nio.file.NoSuchFileException} for a file that does not exist
   */
  public void probe(FeedContext context, Duration patience)
      throws IOException, InterruptedException {
    AtomicBoolean late = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    try (Feed feed = open(start(), context)) {
      Thread timer = new Thread(() -> endLate(feed, patience, done, late), "feed-probe");
      timer.setDaemon(true);
      timer.start();
      feed.probe();
    } catch (IOException e) {
      throw late.get() ? new FeedException(tooLate(patience), e) : e;
    } finally {
      done.countDown();
    }
    if (late.get()) {
      throw new FeedException(tooLate(patience));
    }
  }

  private static void endLate(
      Feed feed, Duration patience, CountDownLatch done, AtomicBoolean late) {
    try {
      if (!done.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        late.set(true);
        feed.close();
      }
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException("the probe of " + feed + " cannot be ended", e);
    }
  }

  private String tooLate(Duration patience) {
    return location() + " did not answer within " + patience.toSeconds() + " s; check the address";
  }
}
