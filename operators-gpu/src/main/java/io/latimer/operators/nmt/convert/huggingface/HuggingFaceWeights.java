package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ShapedWeights;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Closer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The weights of a folder: one {@code .safetensors} file, or several with an index. */
final class HuggingFaceWeights implements ShapedWeights {
  private static final String FILE = "model.safetensors";
  private static final String INDEX = "model.safetensors.index.json";
  private static final String PICKLE = "pytorch_model.bin";
  private static final int MAX_FILES = 1000;

  private final Path folder;
  private final Map<String, SafetensorsFile> files;
  private final Closer opened;

  private HuggingFaceWeights(Path folder, Map<String, SafetensorsFile> files, Closer opened) {
    this.folder = folder;
    this.files = files;
    this.opened = opened;
  }

  /**
   * Opens a folder's weights.
   *
   * @throws ModelFormatException if there are none that can be read, or they do not match their
   *     index
   */
  static HuggingFaceWeights open(Path folder) {
    Closer opened = new Closer();
    try {
      Map<String, SafetensorsFile> files = new LinkedHashMap<>();
      if (Files.exists(folder.resolve(FILE))) {
        SafetensorsFile file = opened.add(SafetensorsFile.open(folder.resolve(FILE)));
        file.names().forEach(name -> files.put(name, file));
      } else if (Files.exists(folder.resolve(INDEX))) {
        readIndex(folder, files, opened);
      } else {
        throw noWeights(folder);
      }
      return new HuggingFaceWeights(folder, files, opened);
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private static void readIndex(Path folder, Map<String, SafetensorsFile> files, Closer opened) {
    Path index = folder.resolve(INDEX);
    Map<String, SafetensorsFile> byName = new HashMap<>();
    for (JsonSettings.JsonMember member : JsonSettings.read(index).members("weight_map")) {
      String name = member.value();
      if (!name.matches("[A-Za-z0-9_.-]+\\.safetensors") || byName.size() > MAX_FILES) {
        throw new ModelFormatException(
            index
                + ": weight_map: expected the names of at most "
                + MAX_FILES
                + " .safetensors files of the folder, found \""
                + name
                + "\"");
      }
      SafetensorsFile file = byName.get(name);
      if (file == null) {
        file = opened.add(SafetensorsFile.open(folder.resolve(name)));
        byName.put(name, file);
      }
      if (!file.names().contains(member.name())) {
        throw new ModelFormatException(
            file.origin()
                + ": has no tensor "
                + member.name()
                + ", which "
                + INDEX
                + " puts there");
      }
      files.put(member.name(), file);
    }
    if (files.isEmpty()) {
      throw new ModelFormatException(
          index + ": weight_map is missing, expected the tensors' files");
    }
  }

  private static ModelFormatException noWeights(Path folder) {
    if (Files.exists(folder.resolve(PICKLE))) {
      return new ModelFormatException(
          folder.resolve(PICKLE)
              + " is a pickle, which can run any program when it is read; convert it: python -c"
              + " \"from transformers import AutoModelForSeq2SeqLM as M;"
              + " M.from_pretrained('"
              + folder
              + "').save_pretrained('"
              + folder
              + "')\"");
    }
    return new ModelFormatException(folder + ": expected " + FILE + " or " + INDEX);
  }

  /** The types of the tensors' numbers, such as F16. */
  Set<String> types() {
    Set<String> types = new TreeSet<>();
    files.forEach((name, file) -> types.add(file.type(name)));
    return types;
  }

  @Override
  public String origin() {
    return folder.toString();
  }

  @Override
  public Set<String> names() {
    return Collections.unmodifiableSet(files.keySet());
  }

  private SafetensorsFile file(String name) {
    SafetensorsFile file = files.get(name);
    if (file == null) {
      throw new ModelFormatException(folder + ": has no tensor " + name);
    }
    return file;
  }

  @Override
  public long[] shape(String name) {
    return file(name).shape(name);
  }

  @Override
  public Tensor floats(String name) {
    return file(name).floats(name);
  }

  @Override
  public Optional<String> text(String name) {
    return Optional.empty();
  }

  @Override
  public void close() {
    opened.close();
  }
}
