package io.latimer.operators.nmt.model;

import com.fasterxml.jackson.core.type.TypeReference;
import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.Section;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A model file, opened: network, vocabularies and text settings. Immutable; shared by threads.
 * Stays usable after the index file is closed.
 */
public final class TranslationModel implements AutoCloseable {
  /** Model files of translation, {@code .lmx}. */
  public static final IndexKind KIND =
      new IndexKind(
          "translation-model",
          ModelSections.OLDEST,
          ModelSections.VERSION,
          file -> TranslationModel.open(file).close());

  private static final long MAX_JSON = 1L << 20;

  private static final TypeReference<QualityModel<QualityFeature>> QUALITY =
      new TypeReference<>() {};

  private final String id;
  private final String version;
  private final Network network;
  private final Vocabulary source;
  private final Vocabulary target;
  private final TextPipeline pipeline;
  private final Optional<QualityModel<QualityFeature>> quality;

  private TranslationModel(
      String id,
      String version,
      Network network,
      Vocabulary source,
      Vocabulary target,
      TextPipeline pipeline,
      Optional<QualityModel<QualityFeature>> quality) {
    this.quality = quality;
    this.id = id;
    this.version = version;
    this.network = network;
    this.source = source;
    this.target = target;
    this.pipeline = pipeline;
  }

  /**
   * Reads a model file without trusting it: settings, shapes and sizes are checked before memory is
   * allocated, every weight must be finite, and every id must have an embedding. Weights are used
   * in place where they are mapped; those of 16 bits are widened whenever they are read.
   *
   * @throws io.latimer.operators.index.IndexFormatException if it is of another kind or version
   * @throws ModelFormatException if its content is not sound
   */
  public static TranslationModel open(IndexFile file) {
    file.expect(KIND);
    String origin = file.path().toString();
    ModelSettings settings =
        ModelSettings.fromJson(
            origin, bytes(file, ModelSections.SETTINGS, MAX_JSON), file.kindVersion());
    requireKnownSections(file, settings);
    Network network = withShortlist(file, network(file, settings));
    Vocabulary source =
        vocabulary(file, ModelSections.SOURCE_VOCABULARY, settings.network().sourceVocabulary());
    Vocabulary target =
        vocabulary(file, ModelSections.TARGET_VOCABULARY, settings.network().targetVocabulary());
    TextSettings text =
        within(
            file,
            ModelSections.TEXT,
            () ->
                TextSettings.fromJson(
                    bytes(file, ModelSections.TEXT, MAX_JSON),
                    ModelSections.haveFormat(file.kindVersion())));
    Optional<QualityModel<QualityFeature>> quality =
        file.has(ModelSections.QUALITY)
            ? Optional.of(
                within(
                    file,
                    ModelSections.QUALITY,
                    () -> quality(bytes(file, ModelSections.QUALITY, MAX_JSON))))
            : Optional.empty();
    byte[] sourceSegmentation = bytes(file, ModelSections.SOURCE_SEGMENTATION, Integer.MAX_VALUE);
    byte[] targetSegmentation = bytes(file, ModelSections.TARGET_SEGMENTATION, Integer.MAX_VALUE);
    Optional<byte[]> truecase =
        file.has(ModelSections.TRUECASE)
            ? Optional.of(bytes(file, ModelSections.TRUECASE, Integer.MAX_VALUE))
            : Optional.empty();
    TextPipeline pipeline =
        within(
            file,
            ModelSections.SOURCE_SEGMENTATION,
            () ->
                TextPipeline.of(
                    text, source, target, sourceSegmentation, targetSegmentation, truecase));
    return new TranslationModel(
        file.contentId(), file.version(), network, source, target, pipeline, quality);
  }

  /** The network with its weights. */
  public Network network() {
    return network;
  }

  /** The source vocabulary; every id has a row in the source embedding. */
  public Vocabulary source() {
    return source;
  }

  /** The target vocabulary; every id has a row in the target embedding. */
  public Vocabulary target() {
    return target;
  }

  /** How the model's text is prepared. */
  public TextSettings text() {
    return pipeline.settings();
  }

  /** Converts text to ids and back; thread-safe; closed with the model. */
  public TextPipeline pipeline() {
    return pipeline;
  }

  /** What judges whether its translations are right; empty if it was not trained for that. */
  public Optional<QualityModel<QualityFeature>> quality() {
    return quality;
  }

  private static QualityModel<QualityFeature> quality(byte[] json) {
    return SettingsJson.read(
        json,
        QUALITY,
        (what, cause) -> new ModelFormatException("the judge of quality: " + what, cause));
  }

  /**
   * Writes a copy of a model file with another judge of quality.
   *
   * @param out appears there only when it is complete
   */
  public static void writeWithQuality(
      IndexFile file, QualityModel<QualityFeature> quality, Path out) {
    file.expect(KIND);
    try (IndexFileWriter writer =
        IndexFileWriter.create(out, KIND.written(file.kindVersion()), file.version())) {
      for (Section section : file.sections()) {
        if (!section.name().equals(ModelSections.QUALITY)) {
          writer.add(section.name(), file.section(section.name()));
        }
      }
      writer.add(ModelSections.QUALITY, SettingsJson.write(quality));
      writer.commit();
    }
  }

  /** The content id of the model file: 64 hexadecimal digits. */
  public String id() {
    return id;
  }

  /** The producer's version of the model; may be empty. */
  public String version() {
    return version;
  }

  /** Releases the text pipeline's resources. Closing twice is safe. */
  @Override
  public void close() {
    pipeline.close();
  }

  private static Network network(IndexFile file, ModelSettings settings) {
    Map<String, TensorShape> shapes = settings.network().shapes();
    Map<String, Section> sections = new LinkedHashMap<>();
    file.sections().forEach(section -> sections.put(section.name(), section));
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (Map.Entry<String, ModelSettings.Stored> entry : settings.tensors().entrySet()) {
      String name = entry.getKey();
      ModelSettings.Stored stored = entry.getValue();
      TensorShape shape = shapes.get(name);
      if (shape == null) {
        throw refuse(file, "tensor " + name + " does not belong to this model");
      }
      if (stored.rows() != shape.rows() || stored.cols() != shape.cols()) {
        throw refuse(
            file,
            "tensor "
                + name
                + ": expected "
                + shape.rows()
                + " x "
                + shape.cols()
                + ", found "
                + stored.rows()
                + " x "
                + stored.cols());
      }
      Section section = sections.get(ModelSections.TENSOR + name);
      if (section == null) {
        throw refuse(file, "has no section " + ModelSections.TENSOR + name);
      }
      stored.requireStorable(file.path().toString(), name);
      if (section.length() != stored.bytes()) {
        throw refuse(
            file,
            "section "
                + section.name()
                + ": expected "
                + stored.bytes()
                + " bytes, found "
                + section.length());
      }
      tensors.put(name, tensor(file, name, stored));
    }
    return within(
        file,
        ModelSections.SETTINGS,
        () -> Network.of(settings.network(), tensors).from(file.path().toString()));
  }

  private static Network withShortlist(IndexFile file, Network network) {
    if (!file.has(ModelSections.SHORTLIST)) {
      return network;
    }
    return within(
        file,
        ModelSections.SHORTLIST,
        () ->
            network.withShortlist(
                Shortlist.fromBytes(
                    file.section(ModelSections.SHORTLIST),
                    network.sourceVocabulary(),
                    network.targetVocabulary())));
  }

  private static Tensor tensor(IndexFile file, String name, ModelSettings.Stored stored) {
    ByteBuffer bytes = file.section(ModelSections.TENSOR + name);
    int rows = stored.rows();
    int cols = stored.cols();
    return switch (stored.type()) {
      case FLOAT32 -> Tensor.float32(name, rows, cols, bytes.asFloatBuffer());
      case FLOAT16 -> Tensor.float16(name, rows, cols, bytes.asShortBuffer());
    };
  }

  /** Ids index the embedding: all must be within it. */
  private static Vocabulary vocabulary(IndexFile file, String section, int rows) {
    Vocabulary vocabulary =
        within(file, section, () -> Vocabulary.fromBytes(file.section(section)));
    if (vocabulary.size() > rows) {
      throw refuse(
          file,
          "section "
              + section
              + ": expected ids below "
              + rows
              + ", the embedding's rows, found "
              + (vocabulary.size() - 1));
    }
    return vocabulary;
  }

  /** Rejects unknown sections, because ignoring one might change the model's meaning. */
  private static void requireKnownSections(IndexFile file, ModelSettings settings) {
    Set<String> known =
        new HashSet<>(
            List.of(
                ModelSections.SETTINGS,
                ModelSections.TEXT,
                ModelSections.SOURCE_VOCABULARY,
                ModelSections.TARGET_VOCABULARY,
                ModelSections.SOURCE_SEGMENTATION,
                ModelSections.TARGET_SEGMENTATION,
                ModelSections.TRUECASE,
                ModelSections.SHORTLIST,
                ModelSections.QUALITY));
    settings.tensors().keySet().forEach(name -> known.add(ModelSections.TENSOR + name));
    for (Section section : file.sections()) {
      if (!known.contains(section.name())) {
        throw refuse(file, "has an unknown section: " + section.name());
      }
    }
  }

  private static byte[] bytes(IndexFile file, String section, long limit) {
    ByteBuffer mapped = file.section(section);
    if (mapped.remaining() > limit) {
      throw refuse(
          file,
          "section "
              + section
              + ": expected at most "
              + limit
              + " bytes, found "
              + mapped.remaining());
    }
    byte[] bytes = new byte[mapped.remaining()];
    mapped.get(bytes);
    return bytes;
  }

  /** Adds file and section to a reader's error message. */
  private static <T> T within(IndexFile file, String section, Supplier<T> read) {
    try {
      return read.get();
    } catch (OperatorException e) {
      throw new ModelFormatException(
          file.path() + " section " + section + ": " + e.getMessage(), e);
    }
  }

  private static ModelFormatException refuse(IndexFile file, String what) {
    return new ModelFormatException(file.path() + ": " + what);
  }
}
