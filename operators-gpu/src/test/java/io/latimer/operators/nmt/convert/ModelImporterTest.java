package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Segmentation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelImporterTest {
  @TempDir Path folder;

  private void refuses(ImportRequest request, String... says) {
    assertThatThrownBy(() -> ModelImporter.importModel(request))
        .isInstanceOf(OperatorException.class)
        .hasMessageContainingAll(says)
        .hasMessageNotContaining("\n");
    assertThat(request.out).doesNotExist();
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(Path::toString)).noneMatch(name -> name.endsWith(".tmp"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void makesOneFileOfEverything() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    tiny.changed.put("ff_logit_b", new float[] {0, 1, -2, 0.5f, 3, 4});
    ImportReport report = ModelImporter.importModel(tiny.request().version("v7"));
    assertThat(report.warnings()).isEmpty();
    assertThat(report.bytes()).isEqualTo(Files.size(report.file()));
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel model = TranslationModel.open(file);
        NpzFile npz = NpzFile.open(folder.resolve("model.npz"))) {
      file.verify();
      assertThat(model.id()).isEqualTo(report.contentId());
      assertThat(model.version()).isEqualTo("v7");
      assertThat(model.network().settings()).isEqualTo(report.network());
      assertSame(NetworkReader.read(npz, Optional.empty()), model.network());
      assertThat(model.source().size()).isEqualTo(TinyModel.SOURCE);
      assertThat(model.target().token(5)).isEqualTo("t5");
      assertThat(model.text().segmentation()).isEqualTo(Segmentation.NONE);
      assertThat(model.pipeline().prepare("s3 s4 x").get(0).ids()).containsExactly(3, 4, 1, 0);
      assertThat(file.section("tensor/output.bias").remaining()).isEqualTo(12); // exact in 16 bits
      assertThat(file.section("tensor/start.W").remaining()).isEqualTo(8 * 4 * 4);
    }
    byte[] first = Files.readAllBytes(report.file());
    ModelImporter.importModel(tiny.request().version("v7"));
    assertThat(Files.readAllBytes(report.file())).isEqualTo(first);
  }

  private static final String LEXICON =
      """
      t2 s2 0.5
      t3\ts2\t0.25
      t4 s2 2.5e-1
      t5 s2 0.1
      t5 s3 0.125
      t4 s3 1
      t4 s3 0.125

      NULL s3 0.9
      t3 NULL 0.9
      t3 s99 0.9
      """;

  @Test
  void aShortlistTravelsInTheModel() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    Path plain = ModelImporter.importModel(tiny.request()).file();
    byte[] without = Files.readAllBytes(plain);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(LEXICON.getBytes(StandardCharsets.UTF_8));
    }
    Path[] tables = {
      tiny.write("lex.s2t", LEXICON.getBytes(StandardCharsets.UTF_8)),
      tiny.write("lex.s2t.gz", packed.toByteArray())
    };
    for (Path table : tables) {
      ShortlistSettings settings = new ShortlistSettings(2, 2, 0.1f);
      ImportReport report = ModelImporter.importModel(tiny.request().shortlist(table, settings));
      ShortlistReport made = report.shortlist().orElseThrow();
      assertThat(made.read()).isEqualTo(8);
      assertThat(made.unknown()).isEqualTo(1);
      try (IndexFile file = IndexFile.open(report.file());
          TranslationModel model = TranslationModel.open(file)) {
        Shortlist shortlist = model.network().shortlist().orElseThrow();
        assertThat(shortlist).isEqualTo(made.shortlist());
        assertThat(shortlist.ownWords()).isFalse();
        // of t3 and t4, which are as probable, the higher id
        assertThat(shortlist.words(new int[] {2, 0})).containsExactly(0, 1, 2, 4);
        // what is said last of a pair counts
        assertThat(shortlist.words(new int[] {3, 0})).containsExactly(0, 1, 4, 5);
        assertThat(shortlist.words(new int[] {4, 0})).containsExactly(0, 1);
        assertThat(shortlist.pairs()).isEqualTo(4);
      }
      assertThat(Files.readAllBytes(report.file())).isNotEqualTo(without);
    }
    Path shared = tiny.vocabulary("target.txt", TinyModel.SOURCE);
    tiny.shapes.put("Wemb_dec", new int[] {TinyModel.SOURCE, TinyModel.E});
    tiny.shapes.put("ff_logit_W", new int[] {TinyModel.E, TinyModel.SOURCE});
    tiny.shapes.put("ff_logit_b", new int[] {1, TinyModel.SOURCE});
    Path table = tiny.write("own.s2t", "t4 t3 0.5\n".getBytes(StandardCharsets.UTF_8));
    ImportReport report =
        ModelImporter.importModel(
            tiny.request()
                .vocabularies(shared, shared)
                .weights(tiny.weights())
                .shortlist(table, new ShortlistSettings(2, 100, 0)));
    Shortlist own = report.shortlist().orElseThrow().shortlist();
    assertThat(own.ownWords()).isTrue();
    assertThat(own.words(new int[] {3, 0})).containsExactly(0, 1, 3, 4);
  }

  @Test
  void refusesATableThatIsNone() {
    TinyModel tiny = new TinyModel(folder);
    String[][] wrong = {
      {"t2 s2 0.5\nt2 s2\n", "lex.s2t line 2: expected a target word, a source word and a"},
      {"t2 s2 0.5 1\n", "line 1", "found \"t2 s2 0.5 1\""},
      {"t2 s2 half\n", "line 1: expected a probability from 0 to 1"},
      {"t2 s2 -0.5\n", "expected a probability from 0 to 1"},
      {"t2 s2 NaN\n", "expected a probability from 0 to 1"},
      {"t2 s2 1.5\n", "expected a probability from 0 to 1"},
      {"s2 t2 0.5\n", "none of its 1 pairs", "a target word, a source word"},
      {"", "none of its 0 pairs"},
      {"t2 s2 0.5\n" + "x".repeat(70_000), "after line 1", "more than 65536 bytes"}
    };
    for (String[] one : wrong) {
      Path table = tiny.write("lex.s2t", one[0].getBytes(StandardCharsets.UTF_8));
      refuses(
          tiny.request().shortlist(table, ShortlistSettings.DEFAULTS),
          Arrays.copyOfRange(one, 1, one.length));
    }
    Path table = tiny.write("lex.s2t", new byte[] {'t', (byte) 0xff, ' ', 's', ' ', '1'});
    refuses(tiny.request().shortlist(table, ShortlistSettings.DEFAULTS), "line 1 is not UTF-8");
    refuses(
        tiny.request().shortlist(folder.resolve("none.s2t"), ShortlistSettings.DEFAULTS),
        "none.s2t cannot be read",
        "no such file");
    assertThatThrownBy(() -> new ShortlistSettings(1, 100, 0)).hasMessageContaining("2 or more");
    assertThatThrownBy(() -> new ShortlistSettings(2, -1, 0)).hasMessageContaining("0 or more");
    assertThatThrownBy(() -> new ShortlistSettings(2, 1, 1)).hasMessageContaining("below 1");
  }

  @Test
  void makesOneFileOfATransformer() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    TransformerSettings settings =
        new TransformerSettings(
            TinyModel.SOURCE,
            TinyModel.TARGET,
            8,
            2,
            1,
            2,
            6,
            7,
            Activation.RELU,
            Autoregression.AVERAGE_ATTENTION,
            5,
            Activation.GELU,
            NormPlacement.PRE,
            true,
            1,
            false,
            false,
            TransformerVariant.MARIAN);
    byte[] npz = new MarianTransformer(settings, new Random(4)).npz();
    ImportRequest request = tiny.request().weights(tiny.write("t.npz", npz));
    ImportReport report = ModelImporter.importModel(request);
    assertThat(report.warnings()).isEmpty();
    assertThat(report.network()).isEqualTo(settings);
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel model = TranslationModel.open(file);
        NpzFile weights = NpzFile.open(folder.resolve("t.npz"))) {
      file.verify();
      assertSame(NetworkReader.read(weights, Optional.empty()), model.network());
      assertThat(model.pipeline().prepare("s3 s4 x").get(0).ids()).containsExactly(3, 4, 1, 0);
      try (DecodeCpu decoder = new DecodeCpu(model.network(), DecodeOptions.beam(2))) {
        Decoded decoded = decoder.decode(List.of(new int[] {3, 4, 1, 0})).get(0).orElseThrow();
        assertThat(decoded.best().score()).isNegative();
      }
    }
    byte[] first = Files.readAllBytes(report.file());
    ModelImporter.importModel(request);
    assertThat(Files.readAllBytes(report.file())).isEqualTo(first);

    npz[npz.length / 2] ^= 1;
    refuses(
        ImportRequest.to(folder.resolve("damaged.lmx"))
            .weights(tiny.write("damaged.npz", npz))
            .vocabularies(folder.resolve("source.txt"), folder.resolve("target.txt")),
        "damaged.npz");
  }

  private static void assertSame(Network expected, Network found) {
    assertThat(found.settings()).isEqualTo(expected.settings());
    assertThat(found.tensors().keySet()).containsExactlyElementsOf(expected.tensors().keySet());
    expected
        .tensors()
        .forEach(
            (name, tensor) ->
                assertThat(found.tensor(name).floats()).as(name).isEqualTo(tensor.floats()));
  }

  @Test
  void saysWhenAVocabularyAndItsEmbeddingDiffer() {
    TinyModel tiny = new TinyModel(folder);
    Path source = tiny.vocabulary("source-large.txt", 9);
    Path target = tiny.vocabulary("target-small.txt", 4);
    ImportReport report = ModelImporter.importModel(tiny.request().vocabularies(source, target));
    assertThat(report.warnings())
        .containsExactly(
            source
                + " has ids up to 8, the source embedding 5 rows: tokens with larger ids are"
                + " unknown to the model",
            target
                + " has ids up to 3, the target embedding 6 rows: 2 rows have no token; is it this"
                + " model's vocabulary?");
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel model = TranslationModel.open(file)) {
      assertThat(model.pipeline().prepare("s4 s5 s8").get(0).ids()).containsExactly(4, 1, 1, 0);
    }
  }

  @Test
  void refusesSwappedVocabularies() {
    TinyModel tiny = new TinyModel(folder);
    refuses(
        tiny.request()
            .vocabularies(
                tiny.vocabulary("t.txt", TinyModel.TARGET),
                tiny.vocabulary("s.txt", TinyModel.SOURCE)),
        "the vocabularies are swapped");
  }

  @Test
  void whatIsGivenOverrulesTheConfiguration() {
    TinyModel tiny = new TinyModel(folder);
    Path config =
        tiny.write(
            "amun.yml",
            """
            relative-paths: true
            scorers: { F0: { path: absent.npz } }
            source-vocab: absent.yml
            """
                .getBytes(StandardCharsets.UTF_8));
    assertThat(ModelImporter.importModel(tiny.request().config(config)).file()).exists();
    Path out = folder.resolve("other.lmx");
    refuses(ImportRequest.to(out).config(config), "absent.npz, which does not exist");
    refuses(
        ImportRequest.to(out).config(config).weights(tiny.weights()),
        "absent.yml, which does not exist");
  }

  @Test
  void saysWhatIsMissing() {
    TinyModel tiny = new TinyModel(folder);
    Path out = folder.resolve("x.lmx");
    refuses(ImportRequest.to(out), "the model's weights must be given");
    refuses(ImportRequest.to(out).weights(tiny.weights()), "source vocabulary must be given");
    Path absent = folder.resolve("absent");
    refuses(tiny.request().weights(absent), "absent does not exist");
    refuses(tiny.request().weights(folder.resolve("m.bin")), "m.bin cannot be read: no such file");
    refuses(tiny.request().vocabularies(absent, absent), "absent");
    refuses(tiny.request().codes(absent), "absent");
    refuses(tiny.request().config(absent), "absent");
    tiny.shapes.remove("decoder_Wcx");
    refuses(tiny.request(), "model.npz", "decoder_Wcx", "missing");
  }

  @Test
  void refusesWhatDoesNotFitTogether() {
    TinyModel tiny = new TinyModel(folder);
    Path codes = tiny.write("codes", "a b\n".getBytes(StandardCharsets.UTF_8));
    Path spm = tiny.write("x.spm", new byte[] {1, 2, 3});
    refuses(tiny.request().codes(codes).spm(spm), "expected only one of them");
    refuses(tiny.request().targetCodes(codes), "only for the target");
    refuses(tiny.request().spm(spm), "SentencePiece");
    refuses(tiny.request().codes(tiny.write("bad", new byte[] {'a', '\n'})), "line 1");
    refuses(tiny.request().codes(tiny.write("empty", new byte[0])), "found 0");
    refuses(tiny.request().text(TextSettings.raw("en", "de")), "SPM", "NONE");
    refuses(tiny.request().truecaseModel(codes), "truecase model");
    tiny.shapes.put("decoder_Wcx", new int[] {3, 3});
    refuses(tiny.request(), "decoder_Wcx", "expected 8 x 4", "found 3 x 3");
  }

  @Test
  void refusesCodesThatMakeNoTokenOfTheVocabulary() {
    TinyModel tiny = new TinyModel(folder);
    Path yaml =
        tiny.write("vocab.yml", "\"</s>\": 0\ns1: 1\ns2: 2\n".getBytes(StandardCharsets.UTF_8));
    refuses(tiny.request().codes(yaml), yaml + ": none of its 3 merges makes a token", "BPE");
    Path source =
        tiny.write("s.codes", "#version: 0.2\ns 3</w>\n".getBytes(StandardCharsets.UTF_8));
    refuses(tiny.request().codes(source), "s.codes: none of its 1 merges");
    Path target =
        tiny.write("t.codes", "#version: 0.2\nt 3</w>\n".getBytes(StandardCharsets.UTF_8));
    ImportReport report =
        ModelImporter.importModel(tiny.request().codes(source).targetCodes(target));
    assertThat(report.warnings()).isEmpty();
  }

  @Test
  void warnsOfCodesThatMakeFewTokensOfTheVocabulary() {
    TinyModel tiny = new TinyModel(folder);
    StringBuilder codes = new StringBuilder("#version: 0.2\ns 3</w>\nt 3</w>\n");
    for (char c = 'a'; c < 'a' + 20; c++) {
      codes.append(c).append(" x\n");
    }
    Path file = tiny.write("codes", codes.toString().getBytes(StandardCharsets.UTF_8));
    assertThat(ModelImporter.importModel(tiny.request().codes(file)).warnings())
        .hasSize(2)
        .allSatisfy(w -> assertThat(w).startsWith(file + ": only 1 of its 22 merges make tokens"));
  }

  @Test
  void saysWhyAFileCannotBeRead() {
    TinyModel tiny = new TinyModel(folder);
    Path absent = folder.resolve("absent.yml");
    refuses(tiny.request().config(absent), absent + " cannot be read: no such file");
    refuses(tiny.request().config(folder), folder + " cannot be read: Is a directory");
    refuses(
        tiny.request().vocabularies(absent, absent),
        "cannot read the vocabulary " + absent + ": no such file");
  }

  @Test
  void saysWhenReadingIsNotPermitted() throws IOException {
    Path locked = Files.write(folder.resolve("locked"), new byte[300]);
    assumeTrue(Files.getFileStore(locked).supportsFileAttributeView("posix"));
    Files.setPosixFilePermissions(locked, Set.of());
    assumeFalse(Files.isReadable(locked), "this user may read everything");
    assertThatThrownBy(() -> IndexFile.open(locked))
        .hasMessage(locked + " cannot be read: permission denied");
    assertThatThrownBy(() -> NpzFile.open(locked))
        .hasMessage(locked + " cannot be read: permission denied");
  }

  @Test
  void refusesWeightsThatAreNotNumbers() {
    TinyModel tiny = new TinyModel(folder);
    tiny.changed.put("ff_state_b", new float[] {1, 2, Float.NaN, 4});
    refuses(tiny.request(), "ff_state_b", "NaN at row 0, column 2");
  }

  @Test
  void importsTheModelThatShips() throws IOException {
    Path model = SharedData.require("models/tatoeba-ende-gru");
    ImportReport report =
        ModelImporter.importModel(
            ImportRequest.to(folder.resolve("tatoeba-en-de.lmx"))
                .weights(model.resolve("model.npz"))
                .vocabularies(model.resolve("vocab.yml"), model.resolve("vocab.yml"))
                .spm(model.resolve("spm.model"))
                .languages("en", "de"));
    assertThat(report.warnings()).isEmpty();
    assertThat(report.bytes()).isBetween(25_000_000L, 28_000_000L);
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel opened = TranslationModel.open(file);
        NpzFile npz = NpzFile.open(model.resolve("model.npz"))) {
      file.verify();
      assertSame(NetworkReader.read(npz, Optional.empty()), opened.network());
      assertThat(opened.text()).isEqualTo(TextSettings.raw("en", "de"));
      List<String> text = Files.readAllLines(model.resolve("golden/source.txt"));
      List<String> golden = Files.readAllLines(model.resolve("golden/golden.jsonl"));
      ObjectMapper json = new ObjectMapper();
      int compared = 0;
      for (int i = 0; i < text.size(); i++) {
        List<SourceSentence> sentences = opened.pipeline().prepare(text.get(i));
        if (sentences.size() == 1) {
          JsonNode ids = json.readTree(golden.get(i)).get("src");
          assertThat(sentences.get(0).ids())
              .containsExactly(
                  StreamSupport.stream(ids.spliterator(), false)
                      .mapToInt(JsonNode::intValue)
                      .toArray());
          compared++;
        }
      }
      assertThat(compared).isGreaterThan(400);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"m30k-ende-gru", "m30k-ende-mlstm"})
  void amunsConfigurationAloneIsEnough(String name) {
    Path model = SharedData.require("models/" + name);
    ImportReport report =
        ModelImporter.importModel(
            ImportRequest.to(folder.resolve("m.lmx")).config(model.resolve("amun.yml")));
    assertThat(report.warnings()).isEmpty();
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel opened = TranslationModel.open(file);
        NpzFile npz = NpzFile.open(model.resolve("model.npz"))) {
      assertSame(NetworkReader.read(npz, Optional.empty()), opened.network());
      assertThat(opened.text().segmentation()).isEqualTo(Segmentation.BPE);
      assertThat(opened.pipeline().prepare("two dogs run .").get(0).tokens())
          .containsExactly("two", "dogs", "run", ".");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "amun-plain,vocab.en.yml,vocab.de.yml",
    "amun-ln-tied,vocab.en.yml,vocab.de.yml",
    "amun-tied-all,vocab.yml,vocab.yml",
    "nematus-deep-ln,vocab.en.yml,vocab.de.yml",
    "s2s-mlstm,vocab.en.yml,vocab.de.yml",
    "s2s-lstm-ln,vocab.en.yml,vocab.de.yml"
  })
  void importsEveryRecurrentVariant(String name, String source, String target) {
    Path model = SharedData.require("models/marian-tiny/" + name);
    ImportReport report =
        ModelImporter.importModel(
            ImportRequest.to(folder.resolve("m.lmx"))
                .weights(model.resolve("model.npz"))
                .vocabularies(model.resolve(source), model.resolve(target))
                .codes(model.resolveSibling("bpe.codes")));
    assertThat(report.warnings()).isEmpty();
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel opened = TranslationModel.open(file);
        NpzFile npz = NpzFile.open(model.resolve("model.npz"))) {
      assertSame(NetworkReader.read(npz, Optional.empty()), opened.network());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tatoeba-ende-transformer",
        "tatoeba-ende-live",
        "m30k-ende-transformer",
        "marian-tiny/transformer",
        "marian-tiny/transformer-prenorm",
        "marian-tiny/transformer-ssru"
      })
  void importsTransformers(String name) {
    Path model = SharedData.require("models/" + name);
    Path vocabulary = model.resolve("vocab.yml");
    ImportReport report =
        ModelImporter.importModel(
            ImportRequest.to(folder.resolve("m.lmx"))
                .weights(model.resolve("model.npz"))
                .vocabularies(vocabulary, vocabulary));
    assertThat(report.warnings()).isEmpty();
    assertThat(report.network()).isInstanceOf(TransformerSettings.class);
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel opened = TranslationModel.open(file);
        NpzFile npz = NpzFile.open(model.resolve("model.npz"))) {
      assertSame(NetworkReader.read(npz, Optional.empty()), opened.network());
    }
  }
}
