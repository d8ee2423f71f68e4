package io.latimer.operators.nmt.convert;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Builds one model file from the files of Amun, Nematus, Marian or Bergamot: weights, vocabularies,
 * segmentation and text settings.
 */
public final class ModelImporter {
  private static final long MAX_SEGMENTATION = 256L << 20;

  /**
   * Joint codes reach a third or more with the vocabulary of one side; unrelated codes hardly any.
   */
  private ModelImporter() {}

  /**
   * Imports a model.
   *
   * @return the model and any warnings about it
   * @throws OperatorException if something is missing, unreadable or inconsistent; then nothing is
   *     written
   */
  public static ImportReport importModel(ImportRequest request) {
    Optional<AmunConfig> config = request.config.map(AmunConfig::read);
    Path weights = required(request.weights, config, c -> Optional.of(c.weights()), "weights");
    Path sourceFile =
        required(
            request.sourceVocabulary, config, AmunConfig::sourceVocabulary, "source vocabulary");
    Path targetFile =
        required(
            request.targetVocabulary, config, AmunConfig::targetVocabulary, "target vocabulary");

    Network network = network(weights, config.map(AmunConfig::cells));
    Vocabulary source = Vocabulary.load(sourceFile);
    Vocabulary target = Vocabulary.load(targetFile);
    List<String> warnings = new ArrayList<>();
    NetworkSettings settings = network.settings();
    requireNotSwapped(sourceFile, source, targetFile, target, settings);
    source = fit(sourceFile, source, settings.sourceVocabulary(), "source", warnings);
    target = fit(targetFile, target, settings.targetVocabulary(), "target", warnings);

    ImportSegmentation segmentation =
        ImportSegmentation.of(request, config, sourceFile, targetFile);
    TextSettings text = text(request, segmentation.kind());
    byte[] sourceBytes = segmentation.source().map(ModelImporter::read).orElse(new byte[0]);
    byte[] targetBytes = segmentation.target().map(ModelImporter::read).orElse(new byte[0]);
    if (segmentation.kind() == Segmentation.BPE) {
      Path sourceCodes = segmentation.source().orElseThrow();
      BpeCodes.check(sourceCodes.toString(), sourceBytes, sourceFile.toString(), source, warnings);
      Path targetCodes = segmentation.target().orElseThrow();
      BpeCodes.check(targetCodes.toString(), targetBytes, targetFile.toString(), target, warnings);
    }
    if (segmentation.kind() == Segmentation.SPM) {
      // Checked here because the code below sees only bytes and could not name the files
      SentencePieceSegmenter.of(sourceBytes, segmentation.source().orElseThrow().toString())
          .close();
      SentencePieceSegmenter.of(targetBytes, segmentation.target().orElseThrow().toString())
          .close();
    }
    Optional<byte[]> truecase = request.truecaseModel.map(ModelImporter::read);
    Optional<ShortlistReport> shortlist = shortlist(request, config, source, target, settings);
    return new ModelFileWriter(network, source, target, text, sourceBytes, targetBytes)
        .truecase(truecase)
        .shortlist(shortlist)
        .write(request.out, request.version, warnings);
  }

  private static Optional<ShortlistReport> shortlist(
      ImportRequest request,
      Optional<AmunConfig> config,
      Vocabulary source,
      Vocabulary target,
      NetworkSettings network) {
    Optional<Path> file = request.shortlist;
    ShortlistSettings settings = request.shortlistSettings;
    if (file.isEmpty() && config.isPresent()) {
      Optional<AmunConfig.ConfiguredShortlist> configured = config.get().shortlist();
      file = configured.map(named -> config.get().existing(named.file()));
      settings = configured.map(AmunConfig.ConfiguredShortlist::settings).orElse(settings);
    }
    if (file.isEmpty()) {
      return Optional.empty();
    }
    if (!BinaryShortlist.isOne(file.get())) {
      LexicalTable table = LexicalTable.read(file.get(), source, target);
      return Optional.of(
          new ShortlistReport(
              table.pairs(),
              table.unknown(),
              table.shortlist(settings, network.sourceVocabulary(), network.targetVocabulary())));
    }
    if (!request.shortlistSettings.equals(ShortlistSettings.DEFAULTS)) {
      throw new OperatorException(
          file.get()
              + " is a binary shortlist, which holds no probabilities and has its own number of"
              + " first words; leave out those of the shortlist's settings");
    }
    boolean ownWords =
        network.sourceVocabulary() == network.targetVocabulary()
            && Arrays.equals(source.toBytes(), target.toBytes());
    return Optional.of(
        BinaryShortlist.read(
            file.get(), ownWords, network.sourceVocabulary(), network.targetVocabulary()));
  }

  private static Network network(Path weights, Optional<AmunCells> cells) {
    if (MarianBinaryFile.isNamed(weights)) {
      try (MarianBinaryFile binary = MarianBinaryFile.open(weights)) {
        return NetworkReader.read(binary, cells);
      }
    }
    try (NpzFile npz = NpzFile.open(weights)) {
      return NetworkReader.read(npz, cells);
    }
  }

  private static Path required(
      Optional<Path> given,
      Optional<AmunConfig> config,
      Function<AmunConfig, Optional<Path>> configured,
      String what) {
    return given
        .or(() -> config.flatMap(c -> configured.apply(c).map(c::existing)))
        .orElseThrow(
            () ->
                new OperatorException(
                    "the model's " + what + " must be given, or named in its configuration"));
  }

  private static TextSettings text(ImportRequest request, Segmentation segmentation) {
    TextSettings text =
        request.text.orElseGet(
            () ->
                segmentation == Segmentation.SPM
                    ? TextSettings.raw(request.sourceLanguage, request.targetLanguage)
                    : TextSettings.prepared(
                        request.sourceLanguage, request.targetLanguage, segmentation));
    if (text.segmentation() != segmentation) {
      throw new OperatorException(
          "the text settings specify the segmentation "
              + text.segmentation()
              + ", but the given files are for "
              + segmentation);
    }
    return text;
  }

  private static void requireNotSwapped(
      Path sourceFile,
      Vocabulary source,
      Path targetFile,
      Vocabulary target,
      NetworkSettings network) {
    boolean swapped =
        source.size() == network.targetVocabulary() && target.size() == network.sourceVocabulary();
    if (swapped && source.size() != target.size()) {
      throw new ModelFormatException(
          "the vocabularies are swapped: "
              + sourceFile
              + " fits the model's target embedding of "
              + network.targetVocabulary()
              + " rows and "
              + targetFile
              + " its source embedding of "
              + network.sourceVocabulary());
    }
  }

  private static Vocabulary fit(
      Path file, Vocabulary vocabulary, int rows, String side, List<String> warnings) {
    if (vocabulary.size() > rows) {
      warnings.add(
          String.format(
              "%s has ids up to %d, the %s embedding %d rows: tokens with larger ids are unknown to"
                  + " the model",
              file, vocabulary.size() - 1, side, rows));
      return vocabulary.limitedTo(rows);
    }
    if (vocabulary.size() < rows) {
      warnings.add(
          String.format(
              "%s has ids up to %d, the %s embedding %d rows: %d rows have no token; is it this"
                  + " model's vocabulary?",
              file, vocabulary.size() - 1, side, rows, rows - vocabulary.size()));
    }
    return vocabulary;
  }

  private static byte[] read(Path file) {
    try {
      long length = Files.size(file);
      if (length == 0 || length > MAX_SEGMENTATION) {
        throw new ModelFormatException(
            file + ": expected 1 to " + MAX_SEGMENTATION + " bytes, found " + length);
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }
}
