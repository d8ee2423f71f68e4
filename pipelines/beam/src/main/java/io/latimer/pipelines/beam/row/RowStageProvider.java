package io.latimer.pipelines.beam.row;

import io.latimer.operators.RecordException;
import io.latimer.pipelines.beam.GrammarCheck;
import io.latimer.pipelines.beam.IndexUpdates;
import io.latimer.pipelines.beam.Phrases;
import io.latimer.pipelines.beam.RecordShape;
import io.latimer.pipelines.beam.Score;
import io.latimer.pipelines.beam.Sentences;
import io.latimer.pipelines.beam.StageTransform;
import io.latimer.pipelines.beam.Translate;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.pipelines.record.DeadLetterReason;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Sentence;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.transforms.SchemaTransform;
import org.apache.beam.sdk.schemas.transforms.SchemaTransformProvider;
import org.apache.beam.sdk.schemas.transforms.providers.ErrorHandling;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionRowTuple;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/**
 * A stage on rows, for Beam YAML and pipelines in other languages. It appends the stage's fields to
 * rows. With {@code error_handling}, refused rows go to a separate output, as rows of {@code
 * failed_row} and {@code error_message}; without it, a refused row fails the pipeline.
 */
public abstract class RowStageProvider implements SchemaTransformProvider {
  static final String INPUT = "input";

  private final String kind;
  private final RowFields<Envelope> fields;
  private final BiFunction<Map<String, String>, IndexUpdates, StageTransform<?>> stage;

  /**
   * For a kind of stage.
   *
   * @param stage makes the transform with settings
   */
  private RowStageProvider(
      String kind,
      RowFields<Envelope> fields,
      BiFunction<Map<String, String>, IndexUpdates, StageTransform<?>> stage) {
    this.kind = kind;
    this.fields = fields;
    this.stage = stage;
  }

  /** The identifier of the transform of a kind of stage. */
  static String identifier(String kind) {
    return "beam:schematransform:io.latimer:" + kind.replace('-', '_') + ":v1";
  }

  @Override
  public final String identifier() {
    return identifier(kind);
  }

  @Override
  public final String description() {
    return StageOptions.section(kind).doc();
  }

  @Override
  public final Schema configurationSchema() {
    return RowConfig.schema(kind, true);
  }

  @Override
  public final List<String> inputCollectionNames() {
    return List.of(INPUT);
  }

  @Override
  public final List<String> outputCollectionNames() {
    return List.of(RowConfig.OUTPUT);
  }

  @Override
  public final SchemaTransform from(Row configuration) {
    RowConfig config = RowConfig.of(configuration);
    return new RowStage(stage.apply(config.settings(), config.updates()), config, fields);
  }

  private static final class RowStage extends SchemaTransform {
    private static final long serialVersionUID = 1L;

    private final StageTransform<?> stage;
    private final transient RowConfig config;
    private final transient RowFields<Envelope> fields;

    RowStage(StageTransform<?> stage, RowConfig config, RowFields<Envelope> fields) {
      this.stage = stage;
      this.config = config;
      this.fields = fields;
    }

    @Override
    public PCollectionRowTuple expand(PCollectionRowTuple input) {
      PCollection<Row> rows = input.getSinglePCollection();
      Schema schema = rows.getSchema();
      RowTexts texts = RowTexts.of(schema, config.textField());
      Schema added = fields.added(schema);
      Schema errors = ErrorHandling.errorSchema(schema);
      boolean handlesErrors = !config.errorOutput().isEmpty();
      TupleTag<Row> successes = new TupleTag<>(RowConfig.OUTPUT);
      TupleTag<Row> failures = new TupleTag<>("errors");
      PCollectionTuple results =
          stage.process(
              rows, shape(texts, fields, added, errors, handlesErrors), successes, failures);
      PCollectionRowTuple output =
          PCollectionRowTuple.of(RowConfig.OUTPUT, results.get(successes).setRowSchema(added));
      PCollection<Row> failed = results.get(failures).setRowSchema(errors);
      return handlesErrors ? output.and(config.errorOutput(), failed) : output;
    }
  }

  /** The conversion between rows and records. */
  private static RecordShape<Row, Row, Row> shape(
      RowTexts texts,
      RowFields<Envelope> fields,
      Schema added,
      Schema errors,
      boolean handlesErrors) {
    return new RecordShape<>(
        row -> record(texts.of(row)),
        (row, result) -> fields.added(row, result, added),
        (row, letter) -> {
          RecordException reason = new RecordException(letter.getErrorMessage());
          if (!handlesErrors) {
            throw reason;
          }
          return ErrorHandling.errorRecord(errors, row, reason);
        });
  }

  /** A record of a text, or with a failure if there is none. */
  private static Envelope record(String text) {
    Sentence sentence =
        Sentence.newBuilder()
            .setId("")
            .setFeed("")
            .setLanguage("")
            .setText(text == null ? "" : text)
            .setEventTime(Instant.EPOCH)
            .build();
    Envelope record = Sentences.record(sentence);
    return text != null
        ? record
        : DeadLetters.refuse(
            record, DeadLetterReason.READ, new RecordException("the row has no text"));
  }

  /** {@code translate} for rows. */
  public static final class OfTranslate extends RowStageProvider {
    /** Called by Beam. */
    public OfTranslate() {
      super("translate", RowFields.TRANSLATE, Translate::new);
    }
  }

  /** {@code score} for rows. */
  public static final class OfScore extends RowStageProvider {
    /** Called by Beam. */
    public OfScore() {
      super("score", RowFields.SCORE, Score::new);
    }
  }

  /** {@code grammar-check} for rows. */
  public static final class OfGrammarCheck extends RowStageProvider {
    /** Called by Beam. */
    public OfGrammarCheck() {
      super("grammar-check", RowFields.GRAMMAR_CHECK, GrammarCheck::new);
    }
  }

  /** {@code phrases} for rows. */
  public static final class OfPhrases extends RowStageProvider {
    /** Called by Beam. */
    public OfPhrases() {
      super("phrases", RowFields.PHRASES, Phrases::new);
    }
  }
}
