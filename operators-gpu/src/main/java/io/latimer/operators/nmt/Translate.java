package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.Translated.Timings;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.ModelLanguages;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.terms.RecordTerms;
import io.latimer.operators.text.terms.Terminology;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Translates raw text: splits records into sentences, decodes the sentences of all records
 * together, and reassembles each record. Sentences found in the translation memory are not decoded.
 *
 * <p>A blank record becomes an empty translation. A record that cannot be translated fails without
 * affecting others. The threads of a team prepare sentences and assemble records. Safe for as many
 * concurrent threads as its decoder, see {@link #inFlight}.
 */
public final class Translate implements TextTranslator {
  /** Records per thread and step: a few microseconds each. */
  private static final int SHARE = 16;

  /** Begins the message of an internal error that a text triggers. */
  static final String NOT_PREPARED = "the text cannot be prepared";

  private final TextPipeline pipeline;
  private final BatchOperator<SourceSentence, Decoded> decode;
  private final CheckedDecoding checked;
  private final TranslatedParts parts;
  private final Model model;
  private final TranslationMemory memory;
  private final Safeguards safeguards;
  private final Terminology terminology;
  private final Lease<?> lease;
  private final Guidance guidance;
  private final boolean splitSentences;
  private final Team team = new Team(Team.defaultThreads());
  private volatile boolean closed;

  /**
   * Identifies the model.
   *
   * @param id content id of the model file
   * @param version the producer's version of the model; may be empty
   * @param sourceLanguage of records that do not name theirs, a BCP 47 tag; {@code und} if unknown
   * @param targetLanguage the same of their translations
   */
  public record Model(String id, String version, String sourceLanguage, String targetLanguage) {}

  /** One sentence of the batch. What is checked stays null if it is remembered or has no tokens. */
  private static final class Unit {
    private final SourceSentence sentence;
    private final Optional<Remembered> remembered;
    private final int sentences; // more than one if the record is remembered as a whole
    private List<SimilarSentence> similar = List.of();
    private Terminology terms = Terminology.NONE; // of its record
    private CheckedDecoding.Checked checked;

    Unit(SourceSentence sentence, Optional<Remembered> remembered, int sentences) {
      this.sentence = sentence;
      this.remembered = remembered;
      this.sentences = sentences;
    }
  }

  /**
   * Makes a translator from its parts; {@link #opener} makes one from a model file.
   *
   * @param pipeline not closed by this operator
   * @param decode gives hypotheses whose ids are the pipeline's, with the parts that are wanted,
   *     and with attention if that decides where protected text goes; closed with this operator
   * @param parts what translations have
   * @param splitSentences whether a record may hold several sentences; empty for the pipeline's
   *     setting
   * @param guidance for what a record does not say itself
   * @param model identifies the model
   * @param memory whose sentences are not decoded; closed with this operator
   * @param safeguards what is kept and checked
   * @param terminology whose terms translations must have; closed with this operator
   * @param lease of pipeline and decoder; closed last
   */
  public Translate(
      TextPipeline pipeline,
      BatchOperator<SourceSentence, Decoded> decode,
      TranslatedParts parts,
      Optional<Boolean> splitSentences,
      Guidance guidance,
      Model model,
      TranslationMemory memory,
      Safeguards safeguards,
      Terminology terminology,
      Lease<?> lease) {
    this.pipeline = Objects.requireNonNull(pipeline, "pipeline");
    this.decode = Objects.requireNonNull(decode, "decode");
    this.parts = Objects.requireNonNull(parts, "parts");
    this.guidance = Objects.requireNonNull(guidance, "guidance");
    this.model = Objects.requireNonNull(model, "model");
    this.memory = Objects.requireNonNull(memory, "memory");
    this.lease = Objects.requireNonNull(lease, "lease");
    this.splitSentences = splitSentences.orElseGet(() -> pipeline.settings().splitSentences());
    this.safeguards = Objects.requireNonNull(safeguards, "safeguards");
    this.terminology = Objects.requireNonNull(terminology, "terminology");
    this.checked = new CheckedDecoding(pipeline, decode, safeguards, terminology, team);
  }

  /**
   * An opener of translators for a model file. The model is loaded once per process, device and
   * precision, shared by all its translators, and released when the last of them is closed.
   */
  public static IndexOpener<Translate> opener(TranslateOptions options) {
    return opener(
        options,
        (residents, model) -> TranslationMemory.NONE,
        (residents, model) -> Terminology.NONE);
  }

  /**
   * As {@link #opener(TranslateOptions)}, for translators with a memory and a glossary.
   *
   * @param memories opens the memory of each translator
   * @param terminologies opens the glossary of each translator
   */
  public static IndexOpener<Translate> opener(
      TranslateOptions options,
      Companion<TranslationMemory> memories,
      Companion<Terminology> terminologies) {
    return new IndexOpener<>(
        TranslationModel.KIND,
        (residents, ref, device) -> {
          NmtPrecision precision = options.precisionOn(device);
          return IndexOpener.own(
              LoadedTranslator.acquire(residents, ref, device, precision),
              lease -> {
                Closer opened = new Closer();
                try {
                  Model model = lease.get().model(options.guidance());
                  return of(
                      lease,
                      options,
                      model,
                      opened.add(memories.open(residents, model)),
                      opened.add(terminologies.open(residents, model)));
                } catch (RuntimeException | Error e) {
                  opened.closeAfter(e);
                  throw e;
                }
              });
        });
  }

  private static Translate of(
      Lease<LoadedTranslator> lease,
      TranslateOptions options,
      Model model,
      TranslationMemory memory,
      Terminology terminology) {
    LoadedTranslator loaded = lease.get();
    return new Translate(
        loaded.pipeline(),
        loaded.sentenceDecoder(options.decoding(loaded.pipeline(), loaded.quality().isPresent())),
        options.parts().judgedBy(loaded.quality()),
        options.splitSentences(),
        options.guidance(),
        model,
        memory,
        options.safeguards(),
        terminology,
        lease);
  }

  /** Opens what a translator uses beside its model. */
  @FunctionalInterface
  public interface Companion<T extends AutoCloseable> {
    /**
     * Opens it.
     *
     * @param residents where loaded indexes are shared
     * @param model whose languages it has
     */
    T open(ResidentIndexes residents, Model model);
  }

  /** Identifies the model. */
  public Model model() {
    return model;
  }

  /** Whether its translations have a quality. */
  boolean judges() {
    return parts.judge().isPresent() && (parts.scores() || parts.nBest() > 1);
  }

  /** The glossary, whose terms translations must have. */
  public Terminology terminology() {
    return terminology;
  }

  /** The memory, whose sentences are not decoded. */
  public TranslationMemory memory() {
    return memory;
  }

  @Override
  public int inFlight() {
    return decode.inFlight();
  }

  @Override
  public List<Result<Translated>> translate(List<TextInput> batch) {
    if (closed) {
      throw new OperatorException("the translator is closed; open another");
    }
    long start = System.nanoTime();
    List<Result<List<Unit>>> records =
        forEach(batch.size(), i -> Result.attempt(NOT_PREPARED, () -> prepare(batch.get(i))));
    long ready = System.nanoTime();
    decodeAll(records);
    long decoded = System.nanoTime();
    List<Result<RecordAssembly>> assembled =
        forEach(batch.size(), i -> assemble(batch.get(i).text(), records.get(i)));
    Timings timings = new Timings(ready - start, decoded - ready, System.nanoTime() - decoded);
    List<Result<Translated>> results = new ArrayList<>(batch.size());
    for (Result<RecordAssembly> record : assembled) {
      results.add(
          record instanceof Result.Value<RecordAssembly> value
              ? Result.of(value.value().translated(timings))
              : Result.failure(((Result.Failure<RecordAssembly>) record).error()));
    }
    return results;
  }

  /** Computes a result for each number below a size, on all threads. */
  private <T> List<T> forEach(int size, IntFunction<T> make) {
    List<T> made = new ArrayList<>(Collections.nCopies(size, null));
    team.forEach(size, SHARE, i -> made.set(i, make.apply(i)));
    return made;
  }

  @Override
  public LanguagePair languages(TextInput text) {
    return pipeline.languages(guided(text));
  }

  private TextInput guided(TextInput record) {
    return new TextInput(record.text(), record.guidance().orElse(guidance));
  }

  private List<Unit> prepare(TextInput record) {
    List<SourceSentence> sentences =
        pipeline.prepare(guided(record), splitSentences, safeguards.keep());
    List<Unit> units = units(record.text(), sentences);
    if (record.terms() != RecordTerms.NONE && !sentences.isEmpty()) {
      SourceSentence first = sentences.get(0);
      Terminology terms = record.terms().in(first.sourceLanguage(), first.targetLanguage());
      units.forEach(unit -> unit.terms = terms);
    }
    return units;
  }

  /** The sentences of a record, or one unit if it is remembered as a whole. */
  private List<Unit> units(String record, List<SourceSentence> sentences) {
    Optional<Remembered> whole =
        !sentences.isEmpty() && mayRemember(sentences.get(0))
            ? memory.findRecord(record)
            : Optional.empty();
    return whole.isPresent()
        ? List.of(new Unit(sentences.get(0).alone(), whole, sentences.size()))
        : sentences.stream().map(this::unit).toList();
  }

  private Unit unit(SourceSentence sentence) {
    Unit unit = new Unit(sentence, remembered(sentence), 1);
    if (unit.remembered.isEmpty() && mayRemember(sentence)) {
      unit.similar = memory.similar(sentence.raw());
    }
    return unit;
  }

  /** The memory knows one language, and nothing of prefixes. */
  private boolean mayRemember(SourceSentence sentence) {
    return memory != TranslationMemory.NONE
        && !sentence.hasPrefix()
        && ModelLanguages.areSame(sentence.targetLanguage(), model.targetLanguage());
  }

  /** What the memory has for a sentence with all around it, with its tags only, or without. */
  private Optional<Remembered> remembered(SourceSentence sentence) {
    if (!mayRemember(sentence)) {
      return Optional.empty();
    }
    String raw = sentence.raw();
    String framed = pipeline.framed(sentence, raw);
    if (framed.equals(raw)) {
      return memory.find(raw);
    }
    return memory
        .find(framed)
        .or(() -> foundWithTags(sentence, framed))
        .or(() -> found(raw, sentence));
  }

  /** What the memory has for a sentence that has both symbols around it and tags, with the tags. */
  private Optional<Remembered> foundWithTags(SourceSentence sentence, String framed) {
    String tagged = pipeline.framed(sentence.withoutSymbols(), sentence.raw());
    return tagged.equals(framed) || tagged.equals(sentence.raw())
        ? Optional.empty()
        : found(tagged, sentence.withoutTags());
  }

  /** What the memory has for a text, with a frame around it. */
  private Optional<Remembered> found(String text, SourceSentence frame) {
    return memory.find(text).map(one -> one.with(pipeline.framed(frame, one.text())));
  }

  /** Decodes the sentences of all records in one batch. */
  private void decodeAll(List<Result<List<Unit>>> records) {
    List<Unit> units = new ArrayList<>(records.size());
    for (Result<List<Unit>> prepared : records) {
      if (prepared instanceof Result.Value<List<Unit>> value) {
        for (Unit unit : value.value()) {
          if (!unit.sentence.isEmpty() && unit.remembered.isEmpty()) {
            units.add(unit);
          }
        }
      }
    }
    for (Unit unit : units) {
      unit.checked = new CheckedDecoding.Checked(unit.sentence, unit.terms);
    }
    checked.decode(units.stream().map(unit -> unit.checked).toList());
  }

  private Result<RecordAssembly> assemble(String text, Result<List<Unit>> record) {
    if (record instanceof Result.Failure<List<Unit>> failure) {
      return Result.failure(failure.error());
    }
    List<Unit> units = record.orElseThrow();
    RecordAssembly assembly = new RecordAssembly(pipeline, parts, model);
    for (int i = 0; i < units.size(); i++) {
      Unit unit = units.get(i);
      if (unit.checked != null
          && unit.checked.decoded() instanceof Result.Failure<Decoded> failure) {
        String message = failure.error().getMessage();
        return Result.failure(
            new RecordException(
                "sentence " + (i + 1) + " of " + units.size() + ": " + message, failure.error()));
      }
      try {
        if (unit.remembered.isPresent()) {
          assembly.remember(unit.sentence, unit.remembered.get(), unit.sentences);
        } else if (unit.checked == null) {
          assembly.add(unit.sentence, null, null, Set.of());
        } else {
          Result<Decoded> decoded = unit.checked.decoded();
          assembly.add(
              unit.checked.sentence(),
              decoded == null ? null : decoded.orElseThrow(),
              unit.checked.text(),
              unit.checked.flags());
          assembly.similar(i, unit.similar);
        }
      } catch (RuntimeException e) {
        return Result.failure(
            new RecordException("the translation cannot be put together: " + e, e));
      }
    }
    try {
      assembly.finish(text);
    } catch (RuntimeException e) {
      return Result.failure(new RecordException("the translation cannot be put together: " + e, e));
    }
    return Result.of(assembly);
  }

  @Override
  public void abandon() {
    decode.abandon();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Closer opened = new Closer();
    opened.add(lease);
    opened.add(memory);
    opened.add(terminology);
    opened.add(decode);
    opened.close();
  }
}
