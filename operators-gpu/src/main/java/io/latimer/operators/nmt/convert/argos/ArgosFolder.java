package io.latimer.operators.nmt.convert.argos;

import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folder;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An unpacked package of Argos Translate: {@code metadata.json}, {@code model/}, and {@code
 * sentencepiece.model} or {@code bpe.model}.
 */
final class ArgosFolder {
  private static final String METADATA = "metadata.json";
  private static final String MODEL = "model";
  private static final String TRANSLATES = "translate";
  private static final List<String> TOKENIZERS = List.of("sentencepiece.model", "bpe.model");

  /** Codes of Argos that are other languages' in ISO 639, or none's. */
  private static final Map<String, String> TAGS = Map.of("zt", "zh-Hant", "pb", "pt-BR");

  private static final Pattern TAG = Pattern.compile("[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*");

  private final JsonSettings metadata;
  private final Ctranslate2Folder model;

  private ArgosFolder(JsonSettings metadata, Ctranslate2Folder model) {
    this.metadata = metadata;
    this.model = model;
  }

  /** Whether an import may read a file, by its path within the package. */
  static boolean isRead(String path) {
    return path.equals(METADATA)
        || TOKENIZERS.contains(path)
        || (path.startsWith(MODEL + "/") && Ctranslate2Folder.isRead(Path.of(path)));
  }

  /**
   * Opens a folder.
   *
   * @throws ModelFormatException if a file is missing, or the package has no translation model
   */
  static ArgosFolder open(Path folder) {
    JsonSettings metadata = JsonSettings.read(folder.resolve(METADATA));
    String type = metadata.string("type").orElse(TRANSLATES);
    if (!type.equals(TRANSLATES)) {
      throw metadata.refuse(
          "the package is of type \"" + printable(type) + "\", but only translation models");
    }
    Path model = folder.resolve(MODEL);
    if (!Ctranslate2Folder.isOne(model)) {
      throw new ModelFormatException(
          model.resolve("model.bin") + ": expected a model of CTranslate2, found none");
    }
    if (TOKENIZERS.stream().map(folder::resolve).noneMatch(Files::isRegularFile)) {
      throw new ModelFormatException(
          folder + ": expected " + String.join(" or ", TOKENIZERS) + ", found neither");
    }
    TextSettings text = TextSettings.raw(tag(metadata, "from_code"), tag(metadata, "to_code"));
    String prefix = metadata.string("target_prefix").orElse("");
    if (!prefix.isEmpty()) {
      try {
        text = text.withFormat(begun(prefix));
      } catch (IllegalArgumentException e) {
        throw metadata.refuse(
            "target_prefix is \"" + printable(prefix) + "\", but only a token of the vocabulary");
      }
    }
    return new ArgosFolder(metadata, Ctranslate2Folder.of(model, folder, text));
  }

  private static SentenceFormat begun(String prefix) {
    return new SentenceFormat(List.of(), List.of(), List.of(prefix), List.of());
  }

  private static String tag(JsonSettings metadata, String key) {
    String code =
        metadata
            .string(key)
            .orElseThrow(() -> metadata.refuse(key + " is missing, but only models that name it"));
    if (!TAG.matcher(code).matches()) {
      throw metadata.refuse(
          key + " is \"" + printable(code) + "\", but only models that name a language");
    }
    return TAGS.getOrDefault(code, code.replace('_', '-'));
  }

  private static String printable(String text) {
    String shown = text.replaceAll("[^ -~]", "?");
    return shown.substring(0, Math.min(shown.length(), 40));
  }

  List<String> describe() {
    List<String> lines = new ArrayList<>(model.describe());
    String version = metadata.string("package_version").orElse("");
    lines.set(
        0,
        "format: Argos package"
            + (version.isEmpty() ? "" : " " + printable(version))
            + lines.get(0).replace("format:", ","));
    return lines;
  }

  ImportReport importTo(Path out, String version) {
    return model.importTo(out, version);
  }
}
