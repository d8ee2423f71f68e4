package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.BpeCodes;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportableModel;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ModelDescription;
import io.latimer.operators.nmt.convert.ModelFileWriter;
import io.latimer.operators.nmt.convert.SegmentationFiles;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A model as CTranslate2's converters write it: {@code model.bin}, its vocabularies, and {@code
 * config.json} from binary version 6 on. The tokenizer's file lies beside it, put there by whoever
 * published the model; without one, texts are tokens separated by spaces.
 *
 * <p>Files are untrusted.
 */
public final class Ctranslate2Folder implements ImportableModel {
  private static final String MODEL = "model.bin";
  private static final String CONFIG = "config.json";
  private static final int MAX_VERSION = 6;
  private static final int HEAD = 8;

  /** A joiner of OpenNMT's Tokenizer, whose BPE is another. */
  private static final String JOINER = "\uffed";

  private final Path folder;
  private final Path tokenizer;
  private final TextSettings languages;

  private Ctranslate2Folder(Path folder, Path tokenizer, TextSettings languages) {
    this.folder = folder;
    this.tokenizer = tokenizer;
    this.languages = languages;
  }

  /** Whether a folder has a {@code model.bin} of CTranslate2, which others' files may be called. */
  public static boolean isOne(Path folder) {
    Path file = folder.resolve(MODEL);
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      ByteBuffer head = ByteBuffer.wrap(in.readNBytes(HEAD)).order(ByteOrder.LITTLE_ENDIAN);
      if (head.limit() < HEAD) {
        return false;
      }
      int version = head.getInt();
      // Marian's files start with the number 1 in 64 bits, which would be a model of no variables
      return version == 1
          ? head.getInt() != 0
          : version > 1 && version <= MAX_VERSION && head.getShort() != 0;
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  /** Opens a folder that has everything. */
  public static Ctranslate2Folder open(Path folder) {
    return of(folder, folder, TextSettings.raw("und", "und"));
  }

  /**
   * Opens a folder within a package.
   *
   * @param tokenizer the folder of the tokenizer's file
   * @param languages the languages of texts; only these and what translations begin with are used
   */
  public static Ctranslate2Folder of(Path folder, Path tokenizer, TextSettings languages) {
    return new Ctranslate2Folder(folder, tokenizer, languages);
  }

  /** Whether an import may read a file of a folder, by its name. */
  public static boolean isRead(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.equals(MODEL)
        || name.equals(CONFIG)
        || Ctranslate2Vocabulary.isRead(file)
        || SegmentationFiles.isRead(file);
  }

  @Override
  public List<Path> files() {
    return ModelDescription.files(folder, Ctranslate2Folder::isRead);
  }

  @Override
  public List<String> describe() {
    try (Ctranslate2File in = Ctranslate2File.open(folder.resolve(MODEL))) {
      Parts parts = parts(in);
      TransformerSettings s = (TransformerSettings) parts.network.settings();
      List<String> lines = new ArrayList<>();
      lines.add("format: CTranslate2, binary version " + in.version());
      lines.addAll(ModelDescription.of(s, in.types()));
      lines.add(
          String.format(
              Locale.ROOT,
              "vocabulary: %,d source and %,d target ids, %s",
              s.sourceVocabulary(),
              s.targetVocabulary(),
              describe(parts.segmentation)));
      lines.add(ModelDescription.languages(parts.text));
      return lines;
    }
  }

  private static String describe(SegmentationFiles segmentation) {
    return switch (segmentation.kind()) {
      case NONE -> "no tokenizer: texts are tokens, separated by spaces";
      case BPE -> "BPE (" + segmentation.sourceFile() + ") of words as Moses writes them";
      case SPM -> "SentencePiece (" + segmentation.sourceFile() + ")";
    };
  }

  @Override
  public ImportReport importTo(Path out, String version) {
    try (Ctranslate2File in = Ctranslate2File.open(folder.resolve(MODEL))) {
      Parts parts = parts(in);
      return new ModelFileWriter(
              parts.network,
              parts.source,
              parts.target,
              parts.text,
              parts.segmentation.source(),
              parts.segmentation.target())
          .write(out, version, parts.warnings);
    }
  }

  /** All that a model file needs. */
  private record Parts(
      TensorSource network,
      Vocabulary source,
      Vocabulary target,
      SegmentationFiles segmentation,
      TextSettings text,
      List<String> warnings) {}

  private Parts parts(Ctranslate2File in) {
    Ctranslate2Settings model =
        Ctranslate2Settings.of(in, JsonSettings.readIfThere(folder.resolve(CONFIG)));
    Ctranslate2Vocabulary listed = Ctranslate2Vocabulary.in(folder);
    Ctranslate2Converter converter =
        Ctranslate2Converter.of(in, model, listed.source(), listed.target());
    TensorSource network = converter.tensors();
    List<String> sourceWords = converter.sourceWords();
    List<String> targetWords = converter.targetWords();
    Vocabulary source = Vocabulary.of(sourceWords);
    Vocabulary target = Vocabulary.of(targetWords);
    TransformerSettings settings = (TransformerSettings) network.settings();
    SentenceFormat format = format(model, settings, sourceWords, targetWords);
    SegmentationFiles files = SegmentationFiles.in(tokenizer);
    List<String> warnings = new ArrayList<>();
    if (files.kind() == Segmentation.BPE) {
      requireWords(sourceWords);
      BpeCodes.check(
          tokenizer.resolve(files.sourceFile()).toString(),
          files.source(),
          "the source vocabulary",
          source,
          warnings);
    }
    TextSettings text = text(files.kind(), sourceWords).withFormat(format);
    return new Parts(network, source, target, files, text, warnings);
  }

  private void requireWords(List<String> words) {
    if (words.stream().anyMatch(word -> word.contains(JOINER))) {
      throw new ModelFormatException(
          folder
              + ": the vocabulary has joiners (U+FFED) of OpenNMT's Tokenizer, but only BPE of"
              + " subword-nmt can be read");
    }
  }

  private SentenceFormat format(
      Ctranslate2Settings model,
      TransformerSettings network,
      List<String> sourceWords,
      List<String> targetWords) {
    List<String> begin = languages.format().targetStart();
    begin.forEach(token -> model.id(targetWords, token));
    try {
      SentenceFormat format =
          Ctranslate2Format.of(model, network.variant(), sourceWords, targetWords);
      return begin.isEmpty()
          ? format
          : new SentenceFormat(format.sourceStart(), format.sourceEnd(), begin, format.languages());
    } catch (IllegalArgumentException e) {
      throw new ModelFormatException(folder + ": " + e.getMessage(), e);
    }
  }

  private TextSettings text(Segmentation kind, List<String> sourceWords) {
    String from = languages.sourceLanguage();
    String to = languages.targetLanguage();
    return switch (kind) {
      case NONE -> TextSettings.prepared(from, to, kind);
      case SPM -> TextSettings.raw(from, to);
      case BPE ->
          TextSettings.moses(from, to, TextSettings.Casing.KEEP)
              .withEntities(sourceWords.stream().anyMatch(Ctranslate2Folder::isEntity));
    };
  }

  private static boolean isEntity(String word) {
    return word.startsWith("&apos;") || word.startsWith("&quot;") || word.startsWith("&amp;");
  }
}
