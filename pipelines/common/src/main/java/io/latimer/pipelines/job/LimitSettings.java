package io.latimer.pipelines.job;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.BatchLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The batch limits that commands can set: keys of a job file's section {@code batch}. */
public final class LimitSettings {
  private static final Pattern SETTING = Pattern.compile("batch\\.([a-z-]+)=([^\\p{Cntrl}]+)");
  private static final Pattern LINE = Pattern.compile("^line [0-9]+: ");

  private static final ConfigSection LIMITS =
      ConfigSection.of(
          // accessed through the outer class, which must be initialized first
          JobKeys.BATCH.name(),
          JobKeys.BATCH.doc(),
          JobKeys.Batch.MAX_RECORDS,
          JobKeys.Batch.MAX_TOKENS,
          JobKeys.Batch.MAX_WAIT);

  private LimitSettings() {}

  /**
   * Reads settings.
   *
   * @param settings such as {@code batch.max-records=32}, with the names, types and ranges of a job
   *     file; at least one
   * @return the given limits; the others are null
   * @throws IllegalArgumentException if one is invalid, or there is none
   */
  public static BatchLimits parse(List<String> settings) {
    StringBuilder yaml = new StringBuilder();
    Set<String> keys = new LinkedHashSet<>();
    for (String setting : settings) {
      Matcher matcher = SETTING.matcher(setting);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(
            "expected KEY=VALUE, such as batch.max-records=32, found " + setting);
      }
      if (!keys.add(matcher.group(1))) {
        throw new IllegalArgumentException("batch." + matcher.group(1) + " is set twice");
      }
      // quoted, so that it is a scalar whatever it contains
      String value = matcher.group(2).replace("'", "''");
      yaml.append(matcher.group(1)).append(": '").append(value).append("'\n");
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(
          "no limit to set; expected KEY=VALUE, such as batch.max-records=32");
    }
    Settings read;
    try {
      read = ConfigFile.read(LIMITS, yaml.toString(), "", Path.of(""));
    } catch (ConfigException e) {
      String problems =
          e.problems().stream()
              .map(one -> "batch." + LINE.matcher(one).replaceFirst(""))
              .collect(Collectors.joining("; "));
      throw new IllegalArgumentException(problems, e);
    }
    return BatchLimits.newBuilder()
        .setMaxRecords(
            read.isWritten(JobKeys.Batch.MAX_RECORDS) ? read.get(JobKeys.Batch.MAX_RECORDS) : null)
        .setMaxTokens(
            read.isWritten(JobKeys.Batch.MAX_TOKENS) ? read.get(JobKeys.Batch.MAX_TOKENS) : null)
        .setMaxWaitMillis(
            read.isWritten(JobKeys.Batch.MAX_WAIT)
                ? read.get(JobKeys.Batch.MAX_WAIT).toMillis()
                : null)
        .build();
  }

  /**
   * Checks the limits of a record.
   *
   * @throws IllegalArgumentException if one is not in the range that a job file allows, or none is
   *     set
   */
  public static void check(BatchLimits limits) {
    parse(settings(limits));
  }

  /** Formats limits as settings, such as {@code batch.max-records=32}; only those that are set. */
  public static List<String> settings(BatchLimits limits) {
    List<String> settings = new ArrayList<>();
    if (limits.getMaxRecords() != null) {
      settings.add(setting(JobKeys.Batch.MAX_RECORDS.name(), limits.getMaxRecords()));
    }
    if (limits.getMaxTokens() != null) {
      settings.add(setting(JobKeys.Batch.MAX_TOKENS.name(), limits.getMaxTokens()));
    }
    if (limits.getMaxWaitMillis() != null) {
      settings.add(setting(JobKeys.Batch.MAX_WAIT.name(), limits.getMaxWaitMillis() + "ms"));
    }
    return settings;
  }

  private static String setting(String key, Object value) {
    return "batch." + key + "=" + value;
  }

  /** Converts all limits to a record. */
  public static BatchLimits toRecord(MicroBatcher.Limits limits) {
    return new BatchLimits(limits.records(), limits.tokens(), limits.millis());
  }

  /**
   * Applies a change to limits.
   *
   * @param change null fields leave a limit unchanged
   */
  public static MicroBatcher.Limits apply(MicroBatcher.Limits limits, BatchLimits change) {
    return new MicroBatcher.Limits(
        change.getMaxRecords() == null ? limits.records() : change.getMaxRecords(),
        change.getMaxTokens() == null ? limits.tokens() : change.getMaxTokens(),
        change.getMaxWaitMillis() == null ? limits.millis() : change.getMaxWaitMillis());
  }

  /** Merges two changes; the second takes precedence. */
  public static BatchLimits merge(BatchLimits first, BatchLimits second) {
    return new BatchLimits(
        second.getMaxRecords() == null ? first.getMaxRecords() : second.getMaxRecords(),
        second.getMaxTokens() == null ? first.getMaxTokens() : second.getMaxTokens(),
        second.getMaxWaitMillis() == null ? first.getMaxWaitMillis() : second.getMaxWaitMillis());
  }

  /**
   * The part of a change that survives a restart: for limits that changed in the job file since,
   * the job file takes precedence.
   *
   * @param then the limits of the job file when the change was made
   * @param now those of the job file now
   * @return null if nothing remains
   */
  public static BatchLimits unlessChanged(
      BatchLimits change, BatchLimits then, MicroBatcher.Limits now) {
    BatchLimits file = toRecord(now);
    BatchLimits left =
        new BatchLimits(
            file.getMaxRecords().equals(then.getMaxRecords()) ? change.getMaxRecords() : null,
            file.getMaxTokens().equals(then.getMaxTokens()) ? change.getMaxTokens() : null,
            file.getMaxWaitMillis().equals(then.getMaxWaitMillis())
                ? change.getMaxWaitMillis()
                : null);
    return settings(left).isEmpty() ? null : left;
  }
}
