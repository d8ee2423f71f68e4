package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.SentencePhraseTable;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Adds the phrases of sentences, or of their translations, that occur in a parallel text. */
public final class PhrasesStage extends PhraseIndexStage<Phrases> {
  private static final long serialVersionUID = 1L;

  /** Maximum number of translations; more than fit in a Kafka record. */
  private static final int MOST = 1_000_000;

  static final ConfigKey<String> INDEX =
      ConfiguredIndex.key("index", "en-de.lpx", "Phrase index made by `latimer phrases index`");
  static final ConfigKey<TextChoice> OF =
      TextChoice.key(
          "Text whose phrases are looked up: the `source`, or the `translation` made by an earlier"
              + " stage. Words are separated by whitespace; the text should be tokenized and cased"
              + " like the index's source text.");
  static final ConfigKey<Integer> SAMPLES =
      ConfigKey.of(
          "samples",
          ConfigTypes.integer(0, Integer.MAX_VALUE),
          PhraseOptions.DEFAULT.samples(),
          "Occurrences of a phrase that are looked at, evenly spaced; 0 for all.");
  static final ConfigKey<Integer> MAX_SOURCE =
      ConfigKey.of(
          "max-source",
          ConfigTypes.integer(0, PhraseIndex.MAX_SENTENCE_WORDS),
          PhraseOptions.DEFAULT.maxSource(),
          "Words of the longest source phrase; 0 for no limit.");
  static final ConfigKey<Integer> MAX_TARGET =
      ConfigKey.of(
          "max-target",
          ConfigTypes.integer(0, PhraseIndex.MAX_SENTENCE_WORDS),
          PhraseOptions.DEFAULT.maxTarget(),
          "Words of the longest target phrase; 0 for no limit.");
  static final ConfigKey<Boolean> LOOSE =
      ConfigKey.of(
          "loose",
          ConfigTypes.flag(),
          PhraseOptions.DEFAULT.loose(),
          "Whether words at the edges of phrases may be unaligned.");
  static final ConfigKey<Integer> BEST =
      ConfigKey.of(
          "best",
          ConfigTypes.integer(1, MOST),
          10,
          "Maximum translations per phrase; the most frequent are kept.");
  static final ConfigKey<Integer> MAX_TRANSLATIONS =
      ConfigKey.of(
          "max-translations",
          ConfigTypes.integer(1, MOST),
          1_000,
          "Maximum translations of all phrases of a record. Beyond it, the least frequent"
              + " translations of each phrase are left out first, and among them those of the least"
              + " frequent phrases; the record says how many.");

  static final ConfigKey<Integer> GPU_MEMORY =
      ConfigKey.of(
          "gpu-memory-mib",
          ConfigTypes.integer(16, 1 << 20),
          (int) (Phrases.GPU_BYTES >> 20),
          "MiB of GPU memory that a batch may take beside the index; a batch that needs more is"
              + " split, and a record that needs more alone fails.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "phrases",
          "Looks up the phrases of texts in an indexed parallel text, and adds a table of them with"
              + " their translations, counts and features to each record.",
          INDEX,
          ConfiguredIndex.SHA256,
          OF,
          SAMPLES,
          MAX_SOURCE,
          MAX_TARGET,
          LOOSE,
          BEST,
          MAX_TRANSLATIONS,
          GPU_MEMORY,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final TextChoice of;
  private final int samples;
  private final int maxSource;
  private final int maxTarget;
  private final boolean loose;
  private final int best;
  private final int maxTranslations;
  private final int gpuMemory; // MiB

  private PhrasesStage(StageConfig config, ConfiguredIndex index) {
    super(config, index, Map.of());
    Settings settings = config.settings();
    this.of = settings.get(OF);
    this.samples = settings.get(SAMPLES);
    this.maxSource = settings.get(MAX_SOURCE);
    this.maxTarget = settings.get(MAX_TARGET);
    this.loose = settings.get(LOOSE);
    this.best = settings.get(BEST);
    this.maxTranslations = settings.get(MAX_TRANSLATIONS);
    this.gpuMemory = settings.get(GPU_MEMORY);
  }

  /** Creates the stage: hashes the index file but does not load it. */
  static PhrasesStage of(StageConfig config, IndexFiles files) {
    return new PhrasesStage(config, ConfiguredIndex.of(config, INDEX, PhraseIndex.KIND, files));
  }

  @Override
  IndexOpener<Phrases> opener() {
    return Phrases.opener(
        new PhraseOptions(samples, maxSource, maxTarget, loose), (long) gpuMemory << 20, learned());
  }

  @Override
  PhraseIndex phraseIndex() {
    return operator().index();
  }

  /** The sentences are words already. */
  @Override
  public LearnedPair prepare(LearnedPair pair) {
    return pair.withTexts("", "");
  }

  @Override
  public Set<RecordPart> reads() {
    return EnumSet.of(of.part());
  }

  @Override
  public Set<RecordPart> writes() {
    return EnumSet.of(RecordPart.PHRASE_TABLES);
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    Phrases phrases = operator();
    BatchTexts texts = of.texts(batch, name());
    PhraseTableRecords records = new PhraseTableRecords(best, maxTranslations);
    return texts.changes(
        phrases.applyWords(texts.words()),
        found -> change(record(records.of(found), phrases.index())));
  }

  private static RecordChange change(SentencePhraseTable table) {
    return draft -> draft.setPhraseTables(StageBatch.append(draft.getPhraseTables(), table));
  }

  private SentencePhraseTable record(SentencePhraseTable.Builder found, PhraseIndex used) {
    return found
        .setStage(name())
        .setText(of.label())
        .setIndexId(used.id())
        .setIndexVersion(used.version())
        .setLearnedPairs(used.learned().size())
        .build();
  }
}
