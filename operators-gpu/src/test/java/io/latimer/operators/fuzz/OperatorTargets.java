package io.latimer.operators.fuzz;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.grammar.index.GrammarIndexBuilder;
import io.latimer.operators.grammar.text.GrammarFormat;
import io.latimer.operators.grammar.text.GrammarText;
import io.latimer.operators.grammar.text.GrammarTextOptions;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.convert.AmunConfig;
import io.latimer.operators.nmt.convert.BinaryShortlistTest;
import io.latimer.operators.nmt.convert.ImportRequest;
import io.latimer.operators.nmt.convert.MarianBin;
import io.latimer.operators.nmt.convert.MarianTransformer;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.convert.ShortlistSettings;
import io.latimer.operators.nmt.convert.TinyModel;
import io.latimer.operators.nmt.convert.argos.ArgosPackages;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folders;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Model;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceFolder;
import io.latimer.operators.nmt.convert.huggingface.TinyMarian;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.nmt.published.PublishedModel;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.IndexedTranslationMemory;
import io.latimer.operators.smt.PhraseText;
import io.latimer.operators.smt.TranslateByPhrases;
import io.latimer.operators.smt.UsualOptions;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.testing.SpmBytes;
import io.latimer.operators.text.BpeSegmenter;
import io.latimer.operators.text.SentencePieceSegmenter;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** All readers of this module. */
public final class OperatorTargets implements FuzzTargets {
  private static final List<Class<? extends Exception>> DOCUMENTED =
      List.of(OperatorException.class, RecordException.class);

  /** Texts for operators whose index has been accepted. */
  private static final List<String> TEXTS =
      List.of(
          "s2 s3 s0 s1", "", "the quiet grey ship", "a \u0301 \ud83d\ude00 https://x.org", "( x )");

  /** What long records are made of. */
  private static final List<String> UNITS =
      List.of(
          "\u0301",
          "\u0323",
          "\u0301\u0323",
          "a",
          "s2 ",
          " ",
          "\u00a0",
          "\n",
          ".",
          ". ",
          "..\"",
          ",",
          "'",
          "-",
          "&",
          "&amp;",
          "@",
          "a@",
          "://",
          "www.",
          "\ud83d\ude00",
          "\ufe0f",
          "\u200d",
          "\ue000",
          "(",
          "\"",
          "\u3002",
          "\u4e2d",
          "\u0e01",
          "\u1100",
          "\u1161",
          "1",
          "1,",
          "A",
          "x-",
          "\u0000",
          "\u20dd",
          "\ud834\udd65",
          "\ufdfa",
          "s3@@",
          "<unk>",
          "</s>",
          "\u2581");

  private static final PhraseText PLAIN =
      new PhraseText("en", "de", TextSettings.Tokenizer.NONE, TextSettings.Casing.KEEP);

  private final List<FuzzTarget> targets = new ArrayList<>();
  private Path folder;

  @Override
  public List<FuzzTarget> in(Path files) throws Exception {
    folder = files;
    indexes();
    imports();
    published();
    vocabularies();
    segmentations();
    grammars();
    targets.addAll(GlossaryTargets.in(folder));
    return targets;
  }

  private void add(String name, int weight, FuzzTarget.Inputs inputs, FuzzTarget.Reader reader) {
    targets.add(new FuzzTarget(name, weight, inputs, reader, DOCUMENTED));
  }

  private void add(String name, int weight, List<byte[]> seeds, FuzzTarget.Reader reader) {
    add(name, weight, random -> Mutations.of(seeds, random), reader);
  }

  private Path file(String name, byte[] bytes) {
    return FuzzMain.write(folder.resolve(name), bytes);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(Path file) throws IOException {
    return Files.readAllBytes(file);
  }

  private void indexes() throws IOException {
    List<IndexBytes> models = models();
    TranslateOptions search =
        TranslateOptions.of(DecodeOptions.beam(2).withScores(true).withAlignment(true));
    index("lmx", 40, models, Translate.opener(search), TranslationModel.KIND);
    List<IndexBytes> grammars =
        List.of(
            IndexBytes.of(
                GrammarFiles.index(
                    folder,
                    "g",
                    "start S",
                    "v S",
                    "v X",
                    "b S X S 0.5",
                    "b S X X 0.5",
                    "u S X 0.25",
                    "t X the 0.5",
                    "t X ship 0.25",
                    "t X UNK-LC 0.1",
                    "e")),
            IndexBytes.of(
                GrammarFiles.index(folder, "h", "start S", "v S", "t S x 1", "b S S S 1")));
    GrammarOptions options = new GrammarOptions(UnknownWords.REFUSE, 50, true, true);
    index("lgx", 60, grammars, CheckGrammar.opener(options), GrammarIndex.KIND);
    List<IndexBytes> lms = new ArrayList<>();
    List<String> text = List.of("the quiet ship", "a grey ship sails", "the the ship");
    for (LmLayout layout : LmLayout.values()) {
      Path model = folder.resolve(layout + ".llm");
      LanguageModels.estimate(text, LanguageModels.TRIGRAMS, layout, model);
      lms.add(IndexBytes.of(model));
    }
    index("llm", 60, lms, Score.opener(ScoreOptions.SENTENCES), LanguageModel.KIND);
    ParallelText parallel = ParallelText.random(new Random(5), 20, 4, 6);
    Path lpx = parallel.index(folder, "p.lpx");
    List<IndexBytes> phrases = new ArrayList<>(List.of(IndexBytes.of(lpx)));
    ParallelText.random(new Random(6), 9, 5, 5).append(folder, lpx);
    phrases.add(IndexBytes.of(lpx));
    List<BatchOperator<String, ?>> operators = new ArrayList<>();
    for (IndexBytes model : models) {
      Path file = file("long" + operators.size() + ".lmx", model.bytes());
      operators.add(Translate.opener(search).open(file, Device.CPU));
    }
    operators.add(CheckGrammar.opener(options).open(folder.resolve("g.lgx"), Device.CPU));
    operators.add(
        Score.opener(ScoreOptions.SENTENCES)
            .open(folder.resolve(LmLayout.HASH + ".llm"), Device.CPU));
    operators.add(Phrases.opener(new PhraseOptions(3, 4, 5, true)).open(lpx, Device.CPU));
    IndexOpener<TranslateByPhrases> byPhrases =
        TranslateByPhrases.opener(
            UsualOptions.of(IndexRefs.of(folder.resolve(LmLayout.HASH + ".llm")), PLAIN));
    operators.add(byPhrases.open(lpx, Device.CPU));
    add(
        "long-text",
        2,
        OperatorTargets::longText,
        input -> {
          for (BatchOperator<String, ?> operator : operators) {
            operator.apply(List.of(new String(input, StandardCharsets.UTF_8)));
          }
        });
    index("lpx", 60, phrases, Phrases.opener(new PhraseOptions(3, 4, 5, true)), PhraseIndex.KIND);
    index("lpx-translate", 30, phrases, byPhrases, PhraseIndex.KIND);
    add(
        "lpx-memory",
        30,
        random -> IndexBytes.changedSections(phrases, random),
        input -> {
          IndexRef ref = IndexRefs.of(file("memory.lpx", input));
          try (IndexedTranslationMemory memory =
              IndexedTranslationMemory.open(new ResidentIndexes(), ref, PLAIN)) {
            TEXTS.forEach(memory::find);
            parallel.pairs().forEach(pair -> memory.find(String.join(" ", pair.source())));
          }
        });
    add(
        "weights",
        30,
        List.of(utf8(FeatureWeights.DEFAULT.toYaml())),
        input -> FeatureWeights.read(file("weights.yaml", input)));

    List<IndexBytes> all = new ArrayList<>(models);
    all.addAll(grammars);
    all.addAll(lms);
    all.addAll(phrases);
    FuzzTarget.Reader container =
        input -> {
          Path file = file("container", input);
          try (IndexFile index = IndexFile.open(file)) {
            index.verify();
          }
          IndexRefs.of(file);
        };
    List<byte[]> raw = all.stream().map(IndexBytes::bytes).toList();
    add("container-bytes", 40, raw, container);
    add("container-table", 60, random -> IndexBytes.changedTable(all, random), container);
  }

  private <O extends BatchOperator<String, ?>> void index(
      String name, int weight, List<IndexBytes> seeds, IndexOpener<O> opener, IndexKind kind) {
    add(
        name,
        weight,
        random -> IndexBytes.changedSections(seeds, random),
        input -> {
          Path file = file("index." + name, input);
          try (O operator = opener.open(new ResidentIndexes(), IndexRefs.of(file), Device.CPU)) {
            operator.apply(TEXTS);
          }
          try (IndexFile index = IndexFile.open(file)) {
            kind.check().accept(index);
          }
        });
  }

  /** Models of both architectures and all kinds of segmentation. */
  private List<IndexBytes> models() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    List<IndexBytes> models = new ArrayList<>();
    models.add(imported(tiny.request()));
    Path lex = file("lex.s2t", utf8(lexicon()));
    Path codes = file("codes", utf8("#version: 0.2\ns 2</w>\nt 3</w>\n"));
    Path truecase = file("truecase", utf8("The (1/2) the (1)\nS2 (3/3)\n"));
    models.add(
        imported(
            tiny.request()
                .codes(codes)
                .truecaseModel(truecase)
                .text(TextSettings.moses("en", "de", TextSettings.Casing.TRUECASE))
                .shortlist(lex, new ShortlistSettings(2, 2, 0))));
    Path spm = file("m.spm", spm());
    models.add(
        imported(
            tiny.request()
                .weights(
                    tiny.write(
                        "t.npz", new MarianTransformer(TinyModel.TRANSFORMER, new Random(6)).npz()))
                .spm(spm)
                .text(TextSettings.raw("en", "de"))));
    return models;
  }

  private static byte[] longText(Random random) {
    StringBuilder unit = new StringBuilder();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      unit.append(UNITS.get(random.nextInt(UNITS.size())));
    }
    int length = 1 << (10 + random.nextInt(6));
    return utf8("s2 ".repeat(random.nextInt(3)) + unit.toString().repeat(length / unit.length()));
  }

  private static IndexBytes imported(ImportRequest request) {
    return IndexBytes.of(ModelImporter.importModel(request).file());
  }

  private static String lexicon() {
    return "t2 s2 0.5\nt3 s3 0.25\nt2 NULL 0.1\n</s> </s> 1\n";
  }

  /** A model with rules, byte for byte as its trainer wrote them, and a few pieces. */
  private static byte[] spm() {
    byte[] rules = SpmBytes.charsmap(ShippedModel.section("segmentation/source"));
    return SpmBytes.withCharsmap(
        SpmBytes.small(List.of("s", "2", "3", "\u2581", "s2", "the")), rules);
  }

  private void imports() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    tiny.request(); // writes its files
    Path out = folder.resolve("model.lmx");
    Path source = folder.resolve("source.txt");
    Path target = folder.resolve("target.txt");
    byte[] recurrent = bytes(folder.resolve("model.npz"));
    byte[] transformer = new MarianTransformer(TinyModel.TRANSFORMER, new Random(6)).npz();
    List<byte[]> archives = List.of(recurrent, transformer);
    FuzzTarget.Reader weights =
        input ->
            ModelImporter.importModel(
                ImportRequest.to(out)
                    .weights(file("fuzz.npz", input))
                    .vocabularies(source, target));
    add("npz-bytes", 60, archives, weights);
    add(
        "npz-entries",
        60,
        random -> changedEntry(archives.get(random.nextInt(archives.size())), random),
        weights);
    binaries(tiny, out, source, target);
    String amun =
        """
        relative-paths: true
        scorers: {F0: {path: model.npz, type: Nematus, enc-cell: gru}}
        source-vocab: [source.txt]
        target-vocab: target.txt
        beam-size: 5
        """;
    String marian =
        "models:\n  - model.npz\nvocabs:\n  - source.txt\n  - target.txt\nshortlist: [lex, 50, 50]\n";
    add(
        "decoder-yml",
        100,
        List.of(utf8(amun), utf8(marian)),
        input -> AmunConfig.read(file("decoder.yml", input)));
    add(
        "lexical-table",
        40,
        List.of(utf8(lexicon())),
        input ->
            ModelImporter.importModel(
                tiny.request().shortlist(file("fuzz.lex", input), ShortlistSettings.DEFAULTS)));
    add(
        "truecase",
        20,
        List.of(utf8("The (1/2) the (1)\nS2 (3/3)\n")),
        input ->
            ModelImporter.importModel(
                tiny.request()
                    .codes(file("codes", utf8("#version: 0.2\ns 2</w>\nt 3</w>\n")))
                    .truecaseModel(file("fuzz.tc", input))
                    .text(TextSettings.moses("en", "de", TextSettings.Casing.TRUECASE))));
    List<byte[]> arpas = new ArrayList<>();
    for (LmLayout layout : LmLayout.values()) {
      arpas.add(bytes(folder.resolve(layout + ".llm.arpa")));
    }
    add(
        "arpa",
        100,
        arpas,
        input -> {
          Path arpa = file("fuzz.arpa", input);
          LmLayout layout = input.length % 2 == 0 ? LmLayout.HASH : LmLayout.BTREE;
          LmImporter.importArpa(
              LmImportRequest.of(arpa, folder.resolve("fuzz.llm")).with(layout),
              (section, read, total) -> {});
        });
  }

  /** Marian's binary weights and shortlists. */
  private void binaries(TinyModel tiny, Path out, Path source, Path target) {
    MarianTransformer weights = new MarianTransformer(TinyModel.TRANSFORMER, new Random(6));
    List<MarianBin> sound =
        List.of(
            MarianBin.of(weights, MarianBin.FLOAT32),
            MarianBin.of(weights, MarianBin.BERGAMOT_INTGEMM8));
    List<byte[]> seeds = sound.stream().map(MarianBin::bytes).toList();
    add(
        "marian-bin",
        60,
        random ->
            random.nextBoolean()
                ? sound.get(random.nextInt(sound.size())).damaged(random)
                : Mutations.of(seeds, random),
        input ->
            ModelImporter.importModel(
                ImportRequest.to(out)
                    .weights(file("fuzz.bin", input))
                    .vocabularies(source, target)));
    List<byte[]> shortlists =
        List.of(
            BinaryShortlistTest.bytes(2, 50, new long[] {0, 0, 0, 2, 3, 3}, 4, 5, 3),
            BinaryShortlistTest.bytes(3, 50, new long[] {0, 1}, 4));
    add(
        "binary-shortlist",
        40,
        random -> BinaryShortlistTest.withChecksum(Mutations.of(shortlists, random)),
        input ->
            ModelImporter.importModel(
                tiny.request().shortlist(file("lex.bin", input), ShortlistSettings.DEFAULTS)));
  }

  /** An archive with one entry changed, and its checksum made right. */
  private static byte[] changedEntry(byte[] archive, Random random) throws IOException {
    List<Map.Entry<String, byte[]>> entries = new ArrayList<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(archive))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        entries.add(Map.entry(entry.getName(), in.readAllBytes()));
      }
    }
    int at = random.nextInt(entries.size());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(out)) {
      for (int i = 0; i < entries.size(); i++) {
        byte[] bytes = entries.get(i).getValue();
        bytes = i == at ? Mutations.of(List.of(bytes), random) : bytes;
        ZipEntry entry = new ZipEntry(entries.get(i).getKey());
        CRC32 crc = new CRC32();
        crc.update(bytes);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
      }
    }
    return out.toByteArray();
  }

  private void published() throws IOException {
    Path model = TinyMarian.write(folder.resolve("marian"));
    Path out = folder.resolve("published.lmx");
    HuggingFaceFolder.open(model).importTo(out, "");
    for (String name :
        List.of("model.safetensors", "config.json", "tokenizer_config.json", "vocab.json")) {
      byte[] sound = bytes(model.resolve(name));
      add(
          "marian-" + name,
          name.endsWith("safetensors") ? 60 : 20,
          List.of(sound),
          input -> {
            Path file = Files.write(model.resolve(name), input);
            try {
              HuggingFaceFolder.open(model).describe();
              HuggingFaceFolder.open(model).importTo(out, "");
            } finally {
              Files.write(file, sound);
            }
          });
    }
    Random random = new Random(7);
    List<byte[]> binaries = new ArrayList<>();
    for (int version = 1; version <= 6; version++) {
      binaries.add(Ctranslate2Model.small(random, version));
      binaries.add(Ctranslate2Model.small(random, version));
    }
    add("ctranslate2", 60, binaries, input -> Ctranslate2Model.read(file("model.bin", input)));
    Path unpacked = Files.createDirectory(folder.resolve("argos"));
    byte[] zip =
        ArgosPackages.zip(
            ArgosPackages.entries(
                Ctranslate2Folders.random(unpacked, random, 6),
                SpmBytes.small(List.of("w3", "w4"))));
    FuzzTarget.Reader argos =
        input -> {
          PublishedModel found = PublishedModel.open(file("fuzz.argosmodel", input));
          found.describe();
          found.importTo(out, "");
        };
    add("argos-bytes", 20, List.of(zip), argos);
    add("argos-entries", 20, entropy -> changedEntry(zip, entropy), argos);
  }

  private void vocabularies() throws IOException {
    add(
        "vocab-yml",
        100,
        List.of(utf8("\"</s>\": 0\n\"<unk>\": 1\non: 2\n'a b': 3\n"), utf8("{a: 0, b: 1}")),
        input -> Vocabulary.load(file("v.yml", input)));
    add(
        "vocab-json",
        60,
        List.of(utf8("{\"</s>\": 0, \"<unk>\": 1, \"\\u00e9\": 2}")),
        input -> Vocabulary.load(file("v.json", input)));
    add(
        "vocab-txt",
        30,
        List.of(utf8("</s>\n<unk>\na\n\u00e9\n")),
        input -> Vocabulary.load(file("v.txt", input)));
    add(
        "vocab-spm",
        30,
        List.of(SpmBytes.vocabulary(), SpmBytes.small(List.of("a", "b"))),
        input -> Vocabulary.load(file("v.spm", input)));
  }

  private void segmentations() {
    String line = TEXTS.get(3) + " lower newest \u3000 s2";
    add(
        "bpe",
        60,
        List.of(utf8("#version: 0.2\nl o\nlo w</w>\ne r</w>\ns t</w>\n"), utf8("a b\nb c\n")),
        input -> {
          BpeSegmenter segmenter = BpeSegmenter.of(input, "codes");
          segmenter.join(segmenter.segment(line));
        });
    byte[] small = SpmBytes.small(List.of("s", "2", "\u2581", "the", "lo", "w"));
    byte[] rules = SpmBytes.charsmap(spm());
    FuzzTarget.Reader reader =
        input -> {
          try (SentencePieceSegmenter segmenter = SentencePieceSegmenter.of(input, "m.spm")) {
            segmenter.join(segmenter.segment(line));
            segmenter.join(segmenter.segment("\u00c4\u00bd\u212b\uff21\ufb01 ".repeat(50)));
          }
        };
    List<byte[]> messages =
        List.of(
            small,
            SpmBytes.withPiece(small, utf8("defined"), 4),
            SpmBytes.withPiece(small, utf8("<s>"), 3));
    add("spm", 100, messages, reader);
    add(
        "spm-rules",
        60,
        random -> SpmBytes.withCharsmap(small, Mutations.of(List.of(rules), random)),
        reader);
  }

  private void grammars() throws IOException {
    Path examples = Path.of(System.getProperty("latimer.root"), "examples/grammars");
    grammar(GrammarFormat.LARK, bytes(examples.resolve("shipping.lark")));
    grammar(GrammarFormat.RULES, bytes(folder.resolve("g.txt")));
    grammar(
        GrammarFormat.NLTK,
        utf8("%start S\nS -> 'fly' \"to\" City [0.5] | 'stay' [0.5]\nCity -> 'New York' [1.0]\n"));
    grammar(
        GrammarFormat.EBNF,
        utf8(
            """
            message = [ "red" ] , place , { "," , place } ;
            place = ( "a" | 'b' ) , 2 * "of" ;
            """));
    grammar(
        GrammarFormat.GBNF,
        utf8(
            """
            root ::= "turn " ("on" | "off") ws object{0,2}
            object ::= "light\\u0073 " | [1-3x]
            ws ::= | " " ws
            """));
    grammar(
        GrammarFormat.BERKELEY, utf8("S -> NP VP 0.5\nNP -> x 1.0\nVP -> y 0.25\nROOT -> S 1.0\n"));
  }

  private void grammar(GrammarFormat format, byte[] seed) {
    GrammarTextOptions options = new GrammarTextOptions(format, null, false, true);
    add(
        "grammar-" + format,
        30,
        List.of(seed),
        input -> {
          Path file = file("fuzz.grammar", input);
          GrammarText.Read read = GrammarText.read(List.of(file), options);
          GrammarIndexBuilder.build(read.grammar(), folder.resolve("fuzz.lgx"), "");
        });
  }
}
