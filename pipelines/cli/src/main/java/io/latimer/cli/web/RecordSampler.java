package io.latimer.cli.web;

import io.latimer.schemas.Envelope;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts all records of a job, and shows at most {@link #PER_SECOND} of them a second, which limits
 * the load on job and browser. Sentences sent by a page, and records that use its corrections, have
 * a separate limit. Thread-safe.
 */
final class RecordSampler implements Consumer<Envelope> {
  /** Maximum number of records a second that pages receive. */
  static final int PER_SECOND = 20;

  /** Maximum number of additional records a second that pages wait for. */
  private static final int AWAITED_PER_SECOND = 10;

  /** Maximum number of remembered ids. */
  private static final int MOST_AWAITED = 1_000;

  /** Maximum length of an id of the page: a prefix and a UUID. */
  private static final int MAX_ID = 46;

  private static final Logger LOG = LoggerFactory.getLogger(RecordSampler.class);

  private final Consumer<String> show;
  private final TokenBucket all;
  private final TokenBucket awaited;
  private final Set<String> keys = newest();
  private final Set<String> corrections = newest();
  private final AtomicLong translated = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong shown = new AtomicLong();
  private final AtomicReference<LatencyHistogram> latency =
      new AtomicReference<>(new LatencyHistogram());
  private final AtomicBoolean failed = new AtomicBoolean();

  /**
   * Creates a sampler.
   *
   * @param show receives records as JSON; must not block
   */
  RecordSampler(Consumer<String> show, LongSupplier nanoTime) {
    this.show = show;
    this.all = new TokenBucket(PER_SECOND, nanoTime);
    this.awaited = new TokenBucket(AWAITED_PER_SECOND, nanoTime);
  }

  private static Set<String> newest() {
    return Collections.synchronizedSet(
        Collections.newSetFromMap(
            new LinkedHashMap<>() {
              private static final long serialVersionUID = 1L;

              @Override
              protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > MOST_AWAITED;
              }
            }));
  }

  /** Called when a page sends a sentence as a record with this key. */
  void awaitKey(String key) {
    keys.add(key);
  }

  /** Called when a page sends a correction with this id. */
  void awaitCorrection(String id) {
    corrections.add(id);
  }

  @Override
  public void accept(Envelope envelope) {
    long millis =
        Math.max(
            0, System.currentTimeMillis() - envelope.getOrigin().getTimestamp().toEpochMilli());
    (envelope.getFailure() == null ? translated : refused).incrementAndGet();
    latency.get().add(millis);
    try {
      String own = own(envelope);
      boolean waitedFor = own != null || usesCorrection(envelope);
      if ((waitedFor && awaited.take()) || all.take()) {
        shown.incrementAndGet();
        show.accept(RecordView.json(envelope, own, millis));
      }
    } catch (RuntimeException e) {
      if (!failed.getAndSet(true)) { // a failure of the page must not fail the job
        LOG.error("A record cannot be shown on the live page.", e);
      }
    }
  }

  /** The key of a record if a page has sent its sentence; otherwise null. */
  private String own(Envelope envelope) {
    ByteBuffer key = envelope.getKey();
    if (key == null || key.remaining() > MAX_ID || keys.isEmpty()) {
      return null;
    }
    String text = StandardCharsets.ISO_8859_1.decode(key.duplicate()).toString();
    return keys.contains(text) ? text : null;
  }

  private boolean usesCorrection(Envelope envelope) {
    Translation translation = envelope.getTranslation();
    if (corrections.isEmpty() || translation == null) {
      return false;
    }
    Stream<LearnedFrom> ofPhrases =
        translation.getPhraseTables().stream()
            .flatMap(table -> table.getPhrases().stream())
            .flatMap(phrase -> phrase.getTranslations().stream())
            .flatMap(found -> found.getCorrections().stream());
    return Stream.concat(translation.getCorrections().stream(), ofPhrases)
        .anyMatch(from -> corrections.contains(from.getId()));
  }

  long translated() {
    return translated.get();
  }

  long refused() {
    return refused.get();
  }

  long shown() {
    return shown.get();
  }

  /** The latencies since the last call. */
  LatencyHistogram takeLatency() {
    return latency.getAndSet(new LatencyHistogram());
  }
}
