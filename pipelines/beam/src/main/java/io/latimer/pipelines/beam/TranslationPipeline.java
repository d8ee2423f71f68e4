package io.latimer.pipelines.beam;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Translation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.extensions.avro.io.AvroIO;
import org.apache.beam.sdk.io.Compression;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.io.TextIO;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;

/**
 * Translates files or topics: reads sentences, writes translations and dead letters, and optionally
 * counts n-grams of the translations per event-time window. Bounded with files, unbounded with
 * topics. Runs on any Beam runner: {@code --runner=DirectRunner} or {@code --runner=FlinkRunner},
 * among others.
 */
public final class TranslationPipeline {
  /**
   * Options for Flink: end bundles before a checkpoint, and do not copy records, which are
   * immutable.
   */
  private static final List<String> ON_FLINK =
      List.of("--finishBundleBeforeCheckpointing", "--fasterCopy");

  private TranslationPipeline() {}

  /** Runs the pipeline described by the arguments, and waits for its end. */
  public static void main(String[] args) {
    build(options(args)).run().waitUntilFinish();
  }

  /**
   * Parses options. On the Flink runner, unless they say otherwise, bundles end before a
   * checkpoint, so that everything read before a checkpoint is written before it.
   */
  static TranslationOptions options(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    // as text, because this class does not depend on the Flink runner
    if (all.contains("--runner=FlinkRunner")) {
      for (String option : ON_FLINK) {
        if (all.stream().noneMatch(given -> given.startsWith(option))) {
          all.add(option + "=true");
        }
      }
    }
    return PipelineOptionsFactory.fromArgs(all.toArray(String[]::new))
        .withValidation()
        .as(TranslationOptions.class);
  }

  /**
   * Builds the pipeline.
   *
   * @throws IllegalArgumentException if options are missing or exclude each other
   * @throws ConfigException if a setting of a stage is wrong
   * @throws OperatorException if the model is not usable
   */
  public static Pipeline build(TranslationOptions options) {
    return build(options, OrderedLines.parts(options.getOutput()));
  }

  /** Builds the pipeline, with a prefix for the partial files of an ordered output. */
  static Pipeline build(TranslationOptions options, String parts) {
    OptionChecks.check(options);
    Pipeline pipeline = Pipeline.create(options);
    if (options.isOrdered()) {
      OptionChecks.checkOneFile(options.getInput()); // now that Beam knows its file systems
    }
    PCollection<Envelope> records =
        options.getInput() == null ? topics(pipeline, options) : files(pipeline, options);
    PCollectionTuple results =
        records.apply(
            "Translate", stage(options).with(settings("--settings", options.getSettings())));
    PCollection<Envelope> translated = results.get(Translate.SUCCESSES);
    List<PCollection<DeadLetter>> letters = new ArrayList<>();
    letters.add(results.get(Translate.FAILURES));
    if (options.isOrdered()) {
      writeOrdered(
          translated,
          results.get(Translate.FAILURES),
          new OrderedLines(options.getOutput(), parts));
    } else if (options.getOutput() != null) {
      writeFiles(translated, options);
    } else {
      letters.add(KafkaTopics.writeResults(translated, options));
    }
    if (options.getNgramWindowSeconds() > 0) {
      letters.add(countNgrams(translated, options));
    }
    writeDeadLetters(
        PCollectionList.of(letters).apply("All dead letters", Flatten.pCollections()), options);
    return pipeline;
  }

  private static StageTransform<?> stage(TranslationOptions options) {
    if (options.getModel() != null) {
      return Translate.withModel(options.getModel());
    }
    return options.getPhrases() == null
        ? Identity.create()
        : Translate.withPhrases(options.getPhrases(), options.getLanguageModel());
  }

  private static Map<String, String> settings(String option, List<String> pairs) {
    Map<String, String> settings = new TreeMap<>();
    String key = null;
    for (String pair : pairs == null ? List.<String>of() : pairs) {
      int at = pair.indexOf('=');
      if (at >= 1) {
        key = pair.substring(0, at).strip();
        settings.put(key, pair.substring(at + 1).strip());
      } else if (at < 0 && key != null) {
        settings.merge(key, pair, (value, rest) -> value + "," + rest); // Beam splits at commas
      } else {
        throw new IllegalArgumentException(option + ": expected KEY=VALUE, found " + pair);
      }
    }
    return settings;
  }

  private static InputConfig input(TranslationOptions options) {
    return Sentences.input(options.getEncoding(), options.getLanguage());
  }

  private static PCollection<Envelope> files(Pipeline pipeline, TranslationOptions options) {
    // not for compressed files, whose line numbers would be those of another file
    return pipeline
        .apply("Find files", FileIO.match().filepattern(options.getInput()))
        .apply("Open files", FileIO.readMatches().withCompression(Compression.UNCOMPRESSED))
        .apply("Read files", Sentences.fromFiles(input(options)));
  }

  private static PCollection<Envelope> topics(Pipeline pipeline, TranslationOptions options) {
    return pipeline
        .apply("Read topics", KafkaTopics.read(options, input(options)))
        .apply("Read records", Sentences.fromKafka(input(options)));
  }

  private static void writeFiles(PCollection<Envelope> translated, TranslationOptions options) {
    if (options.getFormat() == Format.AVRO) {
      translated
          .apply("Take translations", Results.translations())
          .apply(
              "Write translations",
              AvroIO.write(Translation.class).to(options.getOutput()).withSuffix(".avro"));
    } else {
      String suffix = options.getFormat() == Format.JSON ? ".jsonl" : ".txt";
      translated
          .apply("Make lines", Results.lines(options.getFormat()))
          .apply("Write lines", TextIO.write().to(options.getOutput()).withSuffix(suffix));
    }
  }

  private static void writeOrdered(
      PCollection<Envelope> translated, PCollection<DeadLetter> failures, OrderedLines write) {
    PCollection<KV<Long, String>> lines =
        translated.apply(
            "Number lines",
            MapElements.into(
                    TypeDescriptors.kvs(TypeDescriptors.longs(), TypeDescriptors.strings()))
                .via(
                    record ->
                        KV.of(record.getOrigin().getOffset(), Results.line(record, Format.TEXT))));
    PCollection<KV<Long, String>> empty =
        failures.apply(
            "Number failed lines",
            MapElements.into(
                    TypeDescriptors.kvs(TypeDescriptors.longs(), TypeDescriptors.strings()))
                .via(letter -> KV.of(letter.getOrigin().getOffset(), "")));
    PCollectionList.of(List.of(lines, empty))
        .apply("All lines", Flatten.pCollections())
        .apply("Write in order", write);
  }

  private static PCollection<DeadLetter> countNgrams(
      PCollection<Envelope> translated, TranslationOptions options) {
    PCollectionTuple counted =
        translated
            .apply(
                "Event-time windows",
                Window.<Envelope>into(
                        FixedWindows.of(Duration.standardSeconds(options.getNgramWindowSeconds())))
                    .triggering(
                        AfterWatermark.pastEndOfWindow()
                            .withLateFirings(AfterPane.elementCountAtLeast(1)))
                    .withAllowedLateness(
                        Duration.standardSeconds(options.getNgramLatenessSeconds()))
                    .accumulatingFiredPanes())
            .apply(
                "Count n-grams",
                CountNgrams.create().with(settings("--ngramSettings", options.getNgramSettings())));
    PCollection<NgramTable> tables = counted.get(CountNgrams.TABLES);
    if (options.getNgramTopic() != null) {
      KafkaTopics.writeTables(tables, options);
    }
    if (options.getNgramOutput() != null) {
      json(tables, "tables", options.getNgramOutput());
    }
    return counted.get(CountNgrams.FAILURES).apply("No windows", global());
  }

  /** Moves elements from the windows of the counts to the global window. */
  private static <T> Window<T> global() {
    return Window.<T>into(new GlobalWindows())
        .triggering(DefaultTrigger.of())
        .withAllowedLateness(Duration.ZERO)
        .discardingFiredPanes();
  }

  private static void writeDeadLetters(
      PCollection<DeadLetter> letters, TranslationOptions options) {
    if (options.getDeadLetterTopic() != null) {
      KafkaTopics.writeDeadLetters(letters, options);
    }
    if (options.getDeadLetters() != null) {
      json(letters, "dead letters", options.getDeadLetters());
    }
    letters.apply("Report dead letters", ParDo.of(new ReportFn(options.isOrdered())));
  }

  private static <T extends SpecificRecord> void json(
      PCollection<T> records, String name, String prefix) {
    records
        .apply("No windows of " + name, global())
        .apply(
            "Make lines of " + name,
            MapElements.into(TypeDescriptors.strings()).via(RecordJson::of))
        .apply("Write " + name, TextIO.write().to(prefix).withSuffix(".jsonl"));
  }
}
