package io.latimer.operators.nmt.convert.argos;

import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folders;
import io.latimer.operators.testing.SpmBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Packages of Argos Translate. */
public final class ArgosPackages {
  /** A word of the Arabic model, and what it becomes. */
  public static final String ARABIC = Ctranslate2Folders.ARABIC.replace(" ", "");

  public static final String LATIN = Ctranslate2Folders.LATIN.replace(" ", "");

  static final String TOP = "translate-ar_en-1_5/";
  static final String METADATA =
      "{\"package_version\": \"1.5\", \"argos_version\": \"1.5\", \"from_code\": \"ar\","
          + " \"from_name\": \"Arabic\", \"to_code\": \"en\", \"to_name\": \"English\"}";

  private ArgosPackages() {}

  /**
   * Writes a package of the trained model of Arabic letters.
   *
   * @param folder an empty one
   */
  public static Path arabic(Path folder) throws IOException {
    return Files.write(folder.resolve("ar_en.argosmodel"), zip(entries(folder)));
  }

  /** The content of such a package. */
  static Map<String, byte[]> entries(Path folder) throws IOException {
    Path model = Files.createDirectory(folder.resolve("model"));
    Ctranslate2Folders.arabic(model);
    List<String> pieces = Ctranslate2Folders.arabicPieces(model);
    return entries(model, SpmBytes.small(pieces));
  }

  /** The content of a package of a model with SentencePiece. */
  public static Map<String, byte[]> entries(Path model, byte[] spm) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put(TOP, new byte[0]);
    entries.put(TOP + "metadata.json", utf8(METADATA));
    entries.put(TOP + "README.md", utf8("# Arabic - English\n"));
    entries.put(TOP + "sentencepiece.model", spm);
    try (Stream<Path> files = Files.list(model)) {
      for (Path file : files.sorted().toList()) {
        entries.put(TOP + "model/" + file.getFileName(), Files.readAllBytes(file));
      }
    }
    entries.put(TOP + "stanza/ar/tokenize/padt.pt", utf8("a pickle, which nobody reads"));
    entries.put("__MACOSX/._" + TOP + "metadata.json", new byte[4]);
    return entries;
  }

  /** The content of a package of the Arabic model with BPE, whose pieces are letters. */
  static Map<String, byte[]> entriesWithBpe(Path folder) throws IOException {
    Path model = Files.createDirectory(folder.resolve("model"));
    Ctranslate2Folders.arabic(model);
    Ctranslate2Folders.bpePieces(model);
    Map<String, byte[]> entries = entries(model, new byte[0]);
    entries.remove(TOP + "sentencepiece.model");
    entries.put(TOP + "bpe.model", utf8("#version: 0.2\nq q\n"));
    return entries;
  }

  /** A zip file of deflated entries. */
  public static byte[] zip(Map<String, byte[]> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
