package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords.Continuation;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexOpener;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.ExplainedCheck.Explained;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.GrammarContinuation;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks whether a grammar derives sentences or their translations, and where they break it. */
public final class GrammarCheckStage extends IndexStage<ExplainedCheck> {
  private static final long serialVersionUID = 1L;

  /** Maximum number of next words; more than fit in a Kafka record. */
  private static final int MOST_NEXT = 100_000;

  static final ConfigKey<String> GRAMMAR =
      ConfiguredIndex.key("grammar", "shipping.lgx", "Grammar made by `latimer grammar compile`");
  static final ConfigKey<TextChoice> OF =
      TextChoice.keyWithAlternatives(
          "Text to check: the `source`, the `translation` made by an earlier stage, or all its"
              + " `alternatives`, whose verdicts are part of them. Words are separated by whitespace;"
              + " the text should be tokenized and cased like the grammar's terminals.");
  static final ConfigKey<UnknownWords> UNKNOWN =
      ConfigKey.of(
          "unknown",
          ConfigTypes.word(UnknownWords.class),
          GrammarOptions.DEFAULT.unknown(),
          "What derives words that are no terminals: nothing (`refuse`), the symbols of the word's"
              + " class such as UNK-LC-ing (`class`), or every symbol that derives words (`any`).");
  static final ConfigKey<Integer> MAX_WORDS =
      ConfigKey.of(
          "max-words",
          ConfigTypes.integer(1, GrammarOptions.MOST_WORDS),
          GrammarOptions.DEFAULT.maxWords(),
          "Words of the longest text to check; a record with a longer one fails. Time grows with"
              + " the third power of the words.");
  static final ConfigKey<Integer> NEXT_WORDS =
      ConfigKey.of(
          "next-words",
          ConfigTypes.integer(0, MOST_NEXT),
          10,
          "Maximum words to list that could have followed where a text leaves the grammar; 0 not to"
              + " look for that place, which takes longer than the check and is done on the CPU.");
  static final ConfigKey<Integer> GPU_MEMORY =
      ConfigKey.of(
          "gpu-memory-mib",
          ConfigTypes.integer(16, 1 << 20),
          (int) (CheckGrammar.GPU_BYTES >> 20),
          "MiB of GPU memory that a batch may take beside the grammar; a batch that needs more is"
              + " split.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "grammar-check",
          "Says whether a context-free grammar derives texts; if not, where they leave it and which"
              + " words could have followed.",
          GRAMMAR,
          ConfiguredIndex.SHA256,
          OF,
          UNKNOWN,
          MAX_WORDS,
          NEXT_WORDS,
          GPU_MEMORY,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final TextChoice of;
  private final UnknownWords unknown;
  private final int maxWords;
  private final int nextWords;
  private final int gpuMemory; // MiB

  private GrammarCheckStage(StageConfig config, ConfiguredIndex grammar) {
    super(config, grammar, Map.of());
    Settings settings = config.settings();
    this.of = settings.get(OF);
    this.unknown = settings.get(UNKNOWN);
    this.maxWords = settings.get(MAX_WORDS);
    this.nextWords = settings.get(NEXT_WORDS);
    this.gpuMemory = settings.get(GPU_MEMORY);
  }

  /** Creates the stage: hashes the grammar's file but does not load it. */
  static GrammarCheckStage of(StageConfig config, IndexFiles files) {
    return new GrammarCheckStage(
        config, ConfiguredIndex.of(config, GRAMMAR, GrammarIndex.KIND, files));
  }

  @Override
  IndexOpener<ExplainedCheck> opener() {
    GrammarOptions options = new GrammarOptions(unknown, maxWords, false, false);
    return ExplainedCheck.opener(options, (long) gpuMemory << 20, nextWords);
  }

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(of.part());
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.GRAMMAR_CHECKS);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    ExplainedCheck check = operator();
    if (of == TextChoice.ALTERNATIVES) {
      AlternativeTexts texts = AlternativeTexts.of(batch);
      return texts.changes(
          check.applyWords(texts.words()),
          explained -> record(explained, check.index()),
          GrammarCheckStage::add);
    }
    BatchTexts texts = of.texts(batch, name());
    return texts.changes(
        check.applyWords(texts.words()), explained -> change(record(explained, check.index())));
  }

  private static void add(Alternative entry, GrammarCheck verdict) {
    entry.setGrammarChecks(StageBatch.append(entry.getGrammarChecks(), verdict));
  }

  private static RecordChange change(GrammarCheck verdict) {
    return draft -> draft.setGrammarChecks(StageBatch.append(draft.getGrammarChecks(), verdict));
  }

  private GrammarCheck record(Explained explained, GrammarIndex used) {
    GrammarVerdict verdict = explained.verdict();
    return new GrammarCheck(
        name(),
        of.label(),
        verdict.derivable(),
        verdict.words(),
        verdict.longestPrefix(),
        verdict.acceptedPrefixes(),
        verdict.roots(),
        record(explained.continuation()),
        used.id(),
        used.version());
  }

  private static GrammarContinuation record(Continuation found) {
    return found == null
        ? null
        : new GrammarContinuation(found.viable(), found.complete(), found.words(), found.total());
  }
}
