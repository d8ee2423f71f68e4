package io.latimer.pipelines.beam;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.beam.sdk.io.FileSystems;
import org.apache.beam.sdk.io.fs.EmptyMatchTreatment;
import org.apache.beam.sdk.io.fs.MatchResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches a stage to newer indexes between bundles. An unusable index is logged once and retried
 * at each lookup; the current one stays in use meanwhile.
 */
final class IndexFollower {
  private static final Logger LOG = LoggerFactory.getLogger(IndexFollower.class);

  private final IndexUpdates updates;
  private final Consumer<IndexRef> stage;
  private final LongSupplier nanoClock;
  private boolean looked;
  private long lookedAt;
  private String named = "";
  private Found used;
  private Found refused;

  /** The identity of a found file: the same path with other content is another index. */
  private record Found(String path, long size, long modified) {}

  /**
   * Creates a follower.
   *
   * @param stage receives a newer index; throws an OperatorException if it cannot use it
   */
  IndexFollower(IndexUpdates updates, Consumer<IndexRef> stage, LongSupplier nanoClock) {
    this.updates = updates;
    this.stage = stage;
    this.nanoClock = nanoClock;
  }

  /**
   * Switches to a newer index, if there is one.
   *
   * @param path from the side input; empty for none
   */
  void update(String path) {
    if (!path.isEmpty()) {
      looked &= path.equals(named);
      named = path;
      if (isDue()) {
        use(found(path));
      }
    } else if (!updates.pattern().isEmpty() && isDue()) {
      newest().ifPresent(this::use);
    }
  }

  private boolean isDue() {
    long now = nanoClock.getAsLong();
    if (looked && now - lookedAt < updates.interval().toNanos()) {
      return false;
    }
    looked = true;
    lookedAt = now;
    return true;
  }

  private Optional<Found> newest() {
    try {
      return FileSystems.match(updates.pattern(), EmptyMatchTreatment.ALLOW).metadata().stream()
          .max(
              Comparator.comparingLong(MatchResult.Metadata::lastModifiedMillis)
                  .thenComparing(one -> one.resourceId().toString()))
          .map(
              one ->
                  new Found(
                      one.resourceId().toString(), one.sizeBytes(), one.lastModifiedMillis()));
    } catch (IOException e) {
      LOG.warn("{} cannot be looked up: {}", updates.pattern(), FileErrors.reason(e));
      return Optional.empty();
    }
  }

  private static Found found(String path) {
    try {
      var attributes = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return new Found(path, attributes.size(), attributes.lastModifiedTime().toMillis());
    } catch (IOException | InvalidPathException e) {
      return new Found(path, -1, -1); // the stage's message says why it cannot use it
    }
  }

  private void use(Found newest) {
    if (newest.equals(used)) {
      return;
    }
    try {
      stage.accept(IndexRefs.of(Path.of(newest.path())));
      used = newest;
      LOG.info("uses {} from now on", newest.path());
    } catch (OperatorException | IllegalArgumentException e) {
      if (!newest.equals(refused)) {
        LOG.error("{} is not used, and the present index stays: {}", newest.path(), e.getMessage());
      }
      refused = newest;
    }
  }
}
