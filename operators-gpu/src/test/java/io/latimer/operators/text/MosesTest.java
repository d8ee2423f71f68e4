package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MosesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "en | Hello, world! | Hello , world !",
        "en | It's Tom's dog; they don't bark. | It &apos;s Tom &apos;s dog ; they don &apos;t bark .",
        "en | The 1990's cost 1,000.50 dollars, not 3%. | The 1990 &apos;s cost 1,000.50 dollars , not 3 % .",
        "en | Mr. Smith (of the U.S. army) said: \"No.\" | Mr. Smith ( of the U.S. army ) said : &quot; No . &quot;",
        "en | Wait... What? | Wait ... What ?",
        "en | No. 5 is alive. | No. 5 is alive .",
        "en | well-known | well-known",
        "en | a [b] < & | a &#91; b &#93; &lt; &amp;",
        "de | Das ist z.B. der 3. Oktober, oder? | Das ist z.B. der 3. Oktober , oder ?",
        "de | Das kostet 3 Mio. Euro. | Das kostet 3 Mio. Euro .",
        "fr | L'homme n'a qu'un ami. | L&apos; homme n&apos; a qu&apos; un ami .",
        "es | ¿Qué tal, señor? | ¿ Qué tal , señor ?",
      })
  void tokenizes(String language, String text, String expected) {
    String tokens = new MosesTokenizer(language, true).tokenize(text, false);
    assertThat(tokens).isEqualTo(expected);
    assertThat(new MosesDetokenizer(language).detokenize(tokens)).isEqualTo(text);
  }

  @Test
  void aggressiveHyphensComeTogetherAgain() {
    String tokens = new MosesTokenizer("en", false).tokenize("a well-known 5-4 win -", true);
    assertThat(tokens).isEqualTo("a well @-@ known 5 @-@ 4 win -");
    assertThat(new MosesDetokenizer("en").detokenize(tokens)).isEqualTo("a well-known 5-4 win -");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "de | er sagte : &quot; ja &quot; und ging . | er sagte: \"ja\" und ging.",
        "fr | qui est là ? | qui est là\u00a0?",
        "en | AT &amp;amp; T | AT &amp; T",
        "en | that is the boys &apos; dog | that is the boys' dog",
        "en | $ 5 ( five ) | $5 (five)",
        "zh | 你 好 ABC | 你好 ABC",
      })
  void detokenizes(String language, String tokens, String expected) {
    assertThat(new MosesDetokenizer(language).detokenize(tokens)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "en | “Hello”, she said… | \"Hello,\" she said...",
        "de | „Hallo“, sagte sie – gut | \"Hallo\", sagte sie - gut",
        "fr | « Oui » , dit-il | \"Oui\" , dit-il",
        "en | it’s ‘fine’ | it's 'fine'",
      })
  void makesPunctuationPlain(String language, String text, String expected) {
    assertThat(new MosesPunctuation(language).normalize(text)).isEqualTo(expected);
  }

  @Test
  void truecasesTheStartOfASentence() {
    Truecaser truecaser = truecaser("the (90/100) The (10)\nTom (5/5)\niPhone (3/3)\n");
    assertThat(truecaser.truecase("The Tom of The IPHONE . Tom", true))
        .isEqualTo("the Tom of The iPhone . Tom");
    assertThat(truecaser.truecase("The", false)).isEqualTo("The");
    assertThat(Truecaser.restore("&quot; the end")).isEqualTo("&quot; The end");
    assertThat(Truecaser.restore("¿ öl")).isEqualTo("¿ Öl");
    assertThat(Truecaser.restore("3 apples")).isEqualTo("3 apples");
  }

  @Test
  void refusesABrokenTruecaseModelByLine() {
    assertThatThrownBy(() -> truecaser("the (1/1)\nthe end\n"))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("model, line 2");
  }

  private static Truecaser truecaser(String model) {
    return Truecaser.of(model.getBytes(StandardCharsets.UTF_8), "model");
  }
}
