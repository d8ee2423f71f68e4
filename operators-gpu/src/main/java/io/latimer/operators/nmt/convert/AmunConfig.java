package io.latimer.operators.nmt.convert;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.BoundedYaml;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A decoder's configuration: the locations of a model's files, and its cells. Supports Amun's
 * ({@code scorers}, {@code source-vocab}, {@code target-vocab}, {@code bpe}), and the one that
 * Marian writes next to its models ({@code model.npz.decoder.yml}: {@code models}, {@code vocabs},
 * {@code shortlist}), which is also the form of Bergamot's. Other keys for the search or the
 * machine are ignored.
 *
 * @param file the configuration
 * @param weights the {@code .npz} or {@code .bin} file
 * @param sourceVocabulary empty if the configuration does not name one
 * @param targetVocabulary empty if the configuration does not name one
 * @param codes BPE codes; empty if the configuration does not name any
 * @param shortlist Marian's; empty if the configuration does not name one
 * @param relative whether paths are relative to the configuration's folder rather than the working
 *     directory
 * @param cells the named cells; others are inferred from the tensors
 */
public record AmunConfig(
    Path file,
    Path weights,
    Optional<Path> sourceVocabulary,
    Optional<Path> targetVocabulary,
    Optional<Path> codes,
    Optional<ConfiguredShortlist> shortlist,
    boolean relative,
    AmunCells cells) {
  private static final long MAX_LENGTH = 1 << 20;

  /**
   * A shortlist's file.
   *
   * @param settings Marian's defaults unless the configuration says otherwise; a binary shortlist
   *     has its own
   */
  record ConfiguredShortlist(Path file, ShortlistSettings settings) {}

  /**
   * Reads a configuration. Paths are relative to its folder if {@code relative-paths} is true,
   * otherwise to the working directory, as in Amun and Marian. Does not check that the files exist,
   * because the caller may override them.
   *
   * @throws ModelFormatException if it cannot be read, or requires an unsupported feature: an
   *     ensemble, source factors, another type of scorer
   */
  public static AmunConfig read(Path file) {
    return read(file, Path.of(""));
  }

  /** Like {@link #read(Path)}, with another working directory. */
  static AmunConfig read(Path file, Path workingDirectory) {
    Object root = MarianSettings.yaml(text(file), file.toString());
    if (!(root instanceof Map<?, ?> map)) {
      throw new ModelFormatException(file + ": expected a YAML mapping of a decoder's settings");
    }
    return new Reader(file, workingDirectory, map).read();
  }

  /**
   * Returns a path of this configuration that is about to be opened.
   *
   * @throws ModelFormatException if there is no such file; the message says what the path is
   *     relative to
   */
  Path existing(Path path) {
    if (!Files.exists(path)) {
      throw new ModelFormatException(
          file
              + " names "
              + path
              + ", which does not exist; "
              + (relative
                  ? "paths are relative to its folder (relative-paths: true)"
                  : "paths are relative to the working directory: change to it, or set relative-paths:"
                      + " true"));
    }
    return path;
  }

  private static String text(Path file) {
    try {
      if (Files.size(file) > MAX_LENGTH) {
        throw new ModelFormatException(
            file + ": expected a configuration of at most 1 MiB, found " + Files.size(file));
      }
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
          .toString();
    } catch (CharacterCodingException e) {
      throw new ModelFormatException(file + ": expected UTF-8 text", e);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private record Reader(Path file, Path workingDirectory, Map<?, ?> values) {

    AmunConfig read() {
      return values.containsKey("models") ? marian() : amun();
    }

    private AmunConfig amun() {
      if (!(values.get("scorers") instanceof Map<?, ?> scorers) || scorers.isEmpty()) {
        throw wrong("scorers", "a scorer with the path of the weights", values.get("scorers"));
      }
      if (scorers.size() > 1) {
        throw new ModelFormatException(
            file
                + ": scorers: an ensemble of "
                + scorers.size()
                + " models is not supported; use a single model");
      }
      String name = "scorers." + BoundedYaml.brief(scorers.keySet().iterator().next());
      if (!(scorers.values().iterator().next() instanceof Map<?, ?> scorer)) {
        throw wrong(name, "path and type", scorers.values().iterator().next());
      }
      String type = string(scorer, name, "type").orElse("Nematus");
      if (!type.equalsIgnoreCase("nematus") && !type.equalsIgnoreCase("nematus2")) {
        throw new ModelFormatException(
            file
                + ": "
                + name
                + ".type is \""
                + BoundedYaml.brief(type)
                + "\", but only Nematus is supported");
      }
      Path weights =
          string(scorer, name, "path")
              .map(this::resolve)
              .orElseThrow(() -> wrong(name + ".path", "the path of the weights", "nothing"));
      return new AmunConfig(
          file,
          weights,
          single("source-vocab", "source factors are not supported"),
          single("target-vocab", "expected one"),
          single("bpe", "expected one for source and target"),
          Optional.empty(),
          relative(),
          AmunCells.parse(
              file.toString(),
              string(scorer, name, "enc-cell").orElse(null),
              string(scorer, name, "enc-cell-r").orElse(null),
              string(scorer, name, "dec-cell").orElse(null),
              string(scorer, name, "dec-cell-2").orElse(null)));
    }

    private AmunConfig marian() {
      Path weights =
          single("models", "ensembles are not supported")
              .orElseThrow(() -> wrong("models", "the path of the weights", "nothing"));
      List<Path> vocabularies = paths("vocabs");
      if (!vocabularies.isEmpty() && vocabularies.size() != 2) {
        throw wrong("vocabs", "a source and a target vocabulary", values.get("vocabs"));
      }
      Optional<Path> source = vocabularies.stream().findFirst();
      Optional<Path> target = vocabularies.stream().skip(1).findFirst();
      return new AmunConfig(
          file,
          weights,
          source,
          target,
          Optional.empty(),
          shortlist(),
          relative(),
          AmunCells.parse(file.toString(), null, null, null, null));
    }

    /**
     * A path; then numbers for a text table, or whether to check a binary one, which is checked.
     */
    private Optional<ConfiguredShortlist> shortlist() {
      Object value = values.get("shortlist");
      List<?> list =
          value instanceof List<?> several ? several : value == null ? List.of() : List.of(value);
      if (list.isEmpty()) {
        return Optional.empty();
      }
      if (!(list.get(0) instanceof String path)) {
        throw wrong("shortlist", "a path and numbers", value);
      }
      ShortlistSettings settings = ShortlistSettings.DEFAULTS;
      if (list.size() > 1 && !List.of("true", "false").contains(text(list.get(1)))) {
        try {
          settings =
              new ShortlistSettings(
                  Integer.parseInt(text(list.get(1))),
                  list.size() > 2 ? Integer.parseInt(text(list.get(2))) : settings.best(),
                  list.size() > 3 ? Float.parseFloat(text(list.get(3))) : settings.threshold());
        } catch (NumberFormatException e) {
          throw wrong("shortlist", "a path and numbers", value);
        } catch (OperatorException e) {
          throw new ModelFormatException(file + ": shortlist: " + e.getMessage(), e);
        }
      }
      return Optional.of(new ConfiguredShortlist(resolve(path), settings));
    }

    private static String text(Object value) {
      return BoundedYaml.brief(value);
    }

    private Optional<Path> single(String key, String otherwise) {
      List<Path> paths = paths(key);
      if (paths.size() > 1) {
        throw new ModelFormatException(
            file + ": " + key + ": found " + paths.size() + " files; " + otherwise);
      }
      return paths.stream().findFirst();
    }

    /** A single path counts as a list of one. */
    private List<Path> paths(String key) {
      Object value = values.get(key);
      if (value == null) {
        return List.of();
      }
      List<?> list = value instanceof List<?> several ? several : List.of(value);
      return list.stream()
          .map(
              entry -> {
                if (!(entry instanceof String path)) {
                  throw wrong(key, "a path or a list of paths", value);
                }
                return resolve(path);
              })
          .toList();
    }

    private boolean relative() {
      Object flag = values.get("relative-paths");
      if (flag != null && !(flag instanceof Boolean)) {
        throw wrong("relative-paths", "true or false", flag);
      }
      return Boolean.TRUE.equals(flag);
    }

    private Path resolve(String path) {
      Path base = relative() ? file.toAbsolutePath().getParent() : workingDirectory;
      try {
        return base.resolve(path);
      } catch (InvalidPathException e) {
        throw new ModelFormatException(
            file + ": expected a path, found one that the system cannot have: " + e.getReason(), e);
      }
    }

    private Optional<String> string(Map<?, ?> map, String where, String key) {
      Object value = map.get(key);
      if (value == null || value instanceof String) {
        return Optional.ofNullable((String) value);
      }
      throw wrong(where + "." + key, "a text", value);
    }

    private ModelFormatException wrong(String key, String expected, Object found) {
      return new ModelFormatException(
          file + ": " + key + ": expected " + expected + ", found " + BoundedYaml.brief(found));
    }
  }
}
