package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The page of a real job in a real browser; skipped on machines without Chromium. Screenshots are
 * in {@code target/screenshots}.
 */
@Timeout(600)
class LivePageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final String LONG = "long" + "x".repeat(3_000);

  @TempDir private static Path folder;
  private static PageOfAJob job;
  private static Chromium browser;
  private static int opened;

  @BeforeAll
  static void start() throws Exception {
    Optional<Path> program = Chromium.program();
    if (program.isEmpty()) {
      return;
    }
    job = PageOfAJob.withVerdicts(folder);
    browser = new Chromium(program.get(), Files.createDirectory(folder.resolve("profile")));
    job.send("Do you have a map of the city?");
    job.send("Where is the station?");
    job.send("You can pay by card.");
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (job != null) {
      job.close();
    }
  }

  @BeforeEach
  void open() throws Exception {
    // not before all of them: skipped tests are counted by their names
    assumeTrue(browser != null, "this machine has no Chromium");
    browser.size(1300, 900);
    browser.prefer("prefers-color-scheme", "light");
    open(job);
    // after it, nothing is left to come of the records of earlier tests
    sendAndMark("Is this number " + ++opened + "?", "last");
  }

  private static void open(PageOfAJob page) throws Exception {
    browser.pointAtNothing(); // else new records may wait at once
    browser.command("Page.navigate", "url", "about:blank"); // what was there is gone
    browser.open(page.url());
    browser.await("document.getElementById('connection').textContent === 'live'");
  }

  private static String quoted(String text) throws Exception {
    return JSON.writeValueAsString(text);
  }

  /** Sends a text, and marks its row with a class of its own. */
  private static void sendAndMark(String text, String mark) throws Exception {
    job.send(text);
    browser.await(
        "(() => { const row = [...document.querySelectorAll('.record')].find(one =>"
            + " one.querySelector('.source').textContent === "
            + quoted(text)
            + "); row?.classList.add("
            + quoted(mark)
            + "); return Boolean(row); })()");
  }

  private static int rows() throws Exception {
    return browser.evaluate("document.querySelectorAll('.record').length").asInt();
  }

  @Test
  void showsSourceAndTranslationAndOnHoverTheVerdicts() throws Exception {
    sendAndMark("Do you have a room for two people?", "sought");
    assertThat(browser.text("#job")).isEqualTo("desk & <b>page</b>");
    assertThat(browser.text(".sought .translation")).contains("Zimmer");
    assertThat(browser.text("#verdict")).doesNotContain("Perplexity");
    browser.pointAt(".sought");
    browser.await("document.querySelector('#verdict h3') !== null");
    assertThat(browser.text("#verdict"))
        .contains("Do you have a room for two people?", "Perplexity of the translation")
        .contains("Grammar", "Phrase evidence", "desk 1", "Latency")
        .containsPattern("Do you haveHaben Sie[0-9]+ of [0-9]+[0-9.]+ %desk 1");
    assertThat(browser.text("#verdict")).containsAnyOf("The grammar derives it.", "Could follow");
    assertThat(browser.evaluate("document.querySelectorAll('.alignment line').length").asInt())
        .isGreaterThan(4);
    assertThat(
            browser
                .evaluate(
                    "[...document.querySelectorAll('.alignment line')].every(l =>"
                        + " l.x1.baseVal.value > 0 && l.x2.baseVal.value > 0)")
                .asBoolean())
        .isTrue();
    browser.screenshot(SCREENSHOTS.resolve("wide.png"));
  }

  @Test
  void showsTheNumbersOfTheJob() throws Exception {
    browser.await("document.querySelector('#throughput path') !== null");
    browser.await("document.getElementById('latency-now').textContent.includes('p99')");
    browser.await("document.querySelectorAll('#stages tr').length === 4");
    browser.await("document.getElementById('stages').textContent.includes('desk 1')");
    assertThat(browser.text("#stages")).startsWith("phrasesCPUdesk 1 ").contains("tatoeba-en-de");
    assertThat(browser.text("#batch-now")).matches("[0-9.]+ of 64 records .*");
    assertThat(browser.text("#throughput-top")).matches("highest [0-9.]+");
    assertThat(browser.text("#latency-top")).matches("highest [0-9,.]+ m?s");
    assertThat(browser.text("#shown")).matches("Showing [0-9]+ of [0-9]+.*");
  }

  @Test
  void newRecordsWaitWhileTheReaderLooks() throws Exception {
    browser.pointAt(".record");
    int before = rows();
    job.send("It waits for the mouse.");
    browser.await("!document.getElementById('show-held').hidden");
    assertThat(rows()).isEqualTo(before);
    browser.pointAt("h1");
    browser.await("document.getElementById('show-held').hidden");
    assertThat(rows()).isEqualTo(before + 1);
  }

  @Test
  void pausesAndGoesOn() throws Exception {
    browser.click("#pause");
    assertThat(browser.is("document.querySelector('#pause[aria-pressed=true]') !== null")).isTrue();
    int before = rows();
    job.send("It waits for the button.");
    browser.await("document.getElementById('show-held').textContent === 'Show 1 new record'");
    assertThat(rows()).isEqualTo(before);
    browser.click("#show-held");
    assertThat(rows()).isEqualTo(before + 1);
    job.send("It waits once more.");
    browser.await("!document.getElementById('show-held').hidden");
    browser.click("#pause");
    assertThat(rows()).isEqualTo(before + 2);
    assertThat(browser.text("#pause")).isEqualTo("Pause");
  }

  @Test
  void searchesInSourcesAndTranslations() throws Exception {
    sendAndMark("The zebra is late.", "sought");
    browser.click("#search");
    browser.type("ZEBRA");
    browser.await("document.querySelectorAll('#records > li:not([hidden])').length === 1");
    assertThat(browser.text("#shown")).startsWith("1 of the ").contains("match");
    assertThat(browser.text("#records > li:not([hidden]) .source")).isEqualTo("The zebra is late.");
    job.send("No such animal.");
    browser.await(
        "[...document.querySelectorAll('.source')].some(s => s.textContent.includes('animal'))");
    assertThat(
            browser
                .evaluate("document.querySelectorAll('#records > li:not([hidden])').length")
                .asInt())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<img src=x onerror=\"window.hacked = true\">",
        "</script><script>window.hacked = true</script>",
        "<svg onload='window.hacked = true'><style>*{display:none}</style>",
        "{{hacked = true}} ${window.hacked = true} &lt;b&gt; &amp;",
        "\u202Etxet desrever \u2066\u2067 and \u200f more",
      })
  void textOfTheFeedIsTextAndNothingElse(String text) throws Exception {
    sendAndMark(text, "hostile");
    browser.pointAt(".hostile");
    browser.await("document.querySelector('#verdict .source').textContent === " + quoted(text));
    assertThat(browser.is("window.hacked === undefined")).isTrue();
    assertThat(
            browser.is(
                "document.querySelectorAll('img, #records svg, #records script, #records style,"
                    + " #verdict script, #verdict style, #records b').length === 0"))
        .isTrue();
    assertThat(browser.is("getComputedStyle(document.querySelector('.record')).display === 'grid'"))
        .isTrue();
    // what stands beside it keeps its direction
    assertThat(
            browser
                .evaluate(
                    "getComputedStyle(document.querySelector('.hostile .source')).unicodeBidi")
                .asText())
        .startsWith("isolate");
  }

  @Test
  void theContentPolicyHoldsInTheBrowser() throws Exception {
    assertThat(
            browser.is(
                "(() => { try { document.body.innerHTML = '<p>x</p>'; return false; }"
                    + " catch (e) { return e instanceof TypeError; } })()"))
        .isTrue();
    assertThat(
            browser
                .evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
                .asText())
        .isEqualTo("refused");
  }

  @Test
  void aLinkFromAnotherSiteOpensThePageWithItsToken() throws Exception {
    String token = "0123456789abcdef";
    WebSettings settings =
        new WebSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            false,
            Set.of("localhost"),
            Optional.empty(),
            Optional.of(token));
    try (LivePage page = LivePage.start(settings)) {
      browser.open("data:text/html,<a id=link href='" + page.url() + "'>page</a>");
      browser.await("document.getElementById('link') !== null");
      browser.click("#link");
      browser.await("document.getElementById('records') !== null");
      assertThat(browser.evaluate("location.href").asText())
          .isEqualTo(page.url().replace("?token=" + token, ""));
    }
  }

  @ParameterizedTest
  @CsvSource({"320, light", "390, dark", "800, light"})
  void narrowScreensDoNotScrollSideways(int width, String scheme) throws Exception {
    browser.size(width, 800);
    browser.prefer("prefers-color-scheme", scheme);
    sendAndMark(LONG + width, "sought");
    browser.click(".sought");
    browser.await("document.querySelector('#verdicts.open') !== null");
    browser.screenshot(SCREENSHOTS.resolve("verdicts-" + width + ".png"));
    assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
        .isLessThanOrEqualTo(width);
    assertThat(
            browser.is(
                "[...document.querySelectorAll('#verdict .text, .sought .text')].every(e =>"
                    + " e.getBoundingClientRect().right <= innerWidth)"))
        .isTrue();
    for (String key : List.of("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Home")) {
      browser.press(key);
      assertThat(
              browser.is(
                  "(() => { const row = document.activeElement.getBoundingClientRect();"
                      + " const end = document.getElementById('verdicts').getBoundingClientRect();"
                      + " return row.top < end.top && row.bottom > 0; })()"))
          .as("the focus can be seen after " + key)
          .isTrue();
    }
    browser.click("#close");
    browser.await("getComputedStyle(document.getElementById('verdicts')).display === 'none'");
    browser.screenshot(SCREENSHOTS.resolve("records-" + width + ".png"));
  }

  /** Contrast as WCAG 2 defines it, of each text with what is behind it; 4.5 is its level AA. */
  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void textCanBeReadInBothSchemes(String scheme) throws Exception {
    browser.prefer("prefers-color-scheme", scheme);
    browser.click(".record");
    browser.await("document.querySelector('#verdict h3') !== null");
    browser.prefer("prefers-reduced-motion", "reduce"); // replaces the scheme
    browser.command(
        "Emulation.setEmulatedMedia",
        "features",
        List.of(
            Map.of("name", "prefers-color-scheme", "value", scheme),
            Map.of("name", "prefers-reduced-motion", "value", "reduce")));
    String background =
        browser.evaluate("getComputedStyle(document.body).backgroundColor").asText();
    assertThat(background)
        .isEqualTo(scheme.equals("light") ? "rgb(246, 247, 249)" : "rgb(16, 21, 27)");
    assertThat(
            browser
                .evaluate("getComputedStyle(document.querySelector('.record')).animationName")
                .asText())
        .isEqualTo("none");
    JsonNode poor =
        browser.evaluate(
            """
            (() => {
              const parts = (color) => color.match(/[0-9.]+/g).map(Number);
              const light = (color) => {
                const [r, g, b] = parts(color).map((c) => c / 255)
                  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const behind = (element) => {
                const color = getComputedStyle(element).backgroundColor;
                return parts(color)[3] === 0 && element.parentElement ? behind(element.parentElement) : color;
              };
              const poor = [];
              let checked = 0;
              for (const element of document.querySelectorAll("body *")) {
                const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
                if (own && !element.closest("svg, [hidden], option") && element.getClientRects().length > 0) {
                  const a = light(getComputedStyle(element).color);
                  const b = light(behind(element));
                  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                  checked++;
                  if (contrast < 4.5) {
                    poor.push(element.outerHTML.slice(0, 80) + " " + contrast);
                  }
                }
              }
              for (const input of document.querySelectorAll("input[placeholder]")) {
                const a = light(getComputedStyle(input, "::placeholder").color);
                const b = light(behind(input));
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) {
                  poor.push(input.placeholder + " " + contrast);
                }
              }
              return checked > 30 ? poor : ["only " + checked + " texts were there"];
            })()
            """);
    assertThat(poor).isEmpty();
    browser.screenshot(SCREENSHOTS.resolve(scheme + ".png"));
  }

  @Test
  void everythingWorksWithTheKeyboardAlone() throws Exception {
    List<String> path = new ArrayList<>();
    for (int i = 0; i < 40 && !path.contains("close"); i++) {
      browser.press("Tab");
      String at =
          browser
              .evaluate(
                  "document.activeElement.id || document.activeElement.className ||"
                      + " document.activeElement.tagName")
              .asText();
      assertThat(
              browser.is(
                  "document.activeElement === document.body ||"
                      + " getComputedStyle(document.activeElement).outlineStyle !== 'none'"))
          .as("the focus on %s can be seen", at)
          .isTrue();
      if (path.contains(at)) {
        break; // once round
      }
      path.add(at);
      if (at.equals("sentence")) {
        browser.type("Where can I park my car?");
        browser.press("Enter");
        browser.await(
            "document.getElementById('status').textContent.startsWith('Your sentence: ')");
      } else if (at.contains("record")) {
        browser.await("document.getElementById('verdict').textContent.includes('Perplexity')");
        String first = browser.text("#verdict .source");
        browser.press("ArrowDown");
        browser.await(
            "document.querySelector('#verdict .source').textContent !== " + quoted(first));
        browser.press("End");
        browser.press("Home");
        browser.await(
            "document.querySelector('#verdict .source').textContent === " + quoted(first));
      }
    }
    assertThat(path).startsWith("skip", "search", "pause", "sentence");
    assertThat(String.join(" ", path)).contains("record", "SUMMARY", "scroll");
    assertThat(browser.text("#status")).contains("Where can I park my car? – ").contains("Wo");
    assertThat(browser.text(".own .meta")).contains("sent from this page");
  }

  @Test
  void everythingHasANameAndAPlace() throws Exception {
    browser.click(".record");
    browser.command("Accessibility.enable");
    Set<String> roles = new TreeSet<>();
    List<String> nameless = new ArrayList<>();
    for (JsonNode node : browser.command("Accessibility.getFullAXTree").get("nodes")) {
      String role = node.at("/role/value").asText();
      roles.add(role);
      if (!node.get("ignored").asBoolean()
          && Set.of(
                  "button", "textbox", "searchbox", "combobox", "image", "meter", "region", "table")
              .contains(role)
          && node.at("/name/value").asText().isBlank()) {
        nameless.add(node.toString());
      }
    }
    assertThat(nameless).isEmpty();
    assertThat(roles)
        .contains("banner", "main", "region", "search", "heading", "list", "status", "table");
    assertThat(browser.is("document.documentElement.lang === 'en'")).isTrue();
    assertThat(
            browser.is("document.querySelector('#status').getAttribute('aria-live') === 'polite'"))
        .isTrue();
  }

  @Test
  void aCorrectionFlowsBackAndIsSeenWhenItIsUsed() throws Exception {
    sendAndMark("Do you have a trampoline?", "sought");
    browser.click(".sought");
    browser.await("!document.getElementById('correcting').hidden");
    browser.click("#correcting summary");
    assertThat(browser.evaluate("document.getElementById('correct-source').value").asText())
        .isEqualTo("Do you have a trampoline?");
    browser.evaluate("document.getElementById('correct-target').value = ''");
    browser.click("#correct-target");
    browser.type("Haben Sie ein Trampolin?");
    browser.click("#correct button");
    browser.await("document.getElementById('sent').textContent.includes('not used yet')");
    browser.pointAt("h1");
    browser.evaluate("document.activeElement.blur()");
    Chromium.waitFor(
        "a record that uses the correction",
        () -> {
          int before = rows();
          job.send("Do you have a trampoline?");
          browser.await("document.querySelectorAll('.record').length > " + before);
          return browser.is("document.querySelector('.learned') !== null");
        });
    assertThat(browser.text(".learned .meta")).contains("phrases from a correction");
    browser.await("document.getElementById('sent').textContent.includes('used by')");
    browser.pointAt(".learned");
    browser.await("document.querySelector('#verdict .used') !== null");
    assertThat(browser.text("#verdict .used")).startsWith("your correction of ");
    browser.await("document.querySelector('#stages tr td:last-child').textContent === '1'");
    browser.screenshot(SCREENSHOTS.resolve("correction.png"));
  }

  @Test
  void aPageOverTlsShowsTheAlternativesAndOpensOnlyWithItsToken() throws Exception {
    try (PageOfAJob other = PageOfAJob.withAlternatives(Files.createTempDirectory(folder, "tls"))) {
      assertThat(other.url()).startsWith("https://localhost:");
      browser.open(other.url().replaceFirst("\\?token=.*", ""));
      assertThat(browser.text("body")).contains("token");
      assertThat(browser.is("document.getElementById('records') === null")).isTrue();
      open(other);
      assertThat(browser.evaluate("location.search").asText()).isEmpty();
      other.send("Did you sleep well?");
      browser.await("document.querySelector('.record') !== null");
      browser.pointAt(".record");
      browser.await("document.querySelector('#verdict h3') !== null");
      assertThat(browser.text(".record .meta")).contains(" wording", " the grammar");
      assertThat(
              browser
                  .evaluate(
                      "[...document.querySelectorAll('#verdict h3')].map(h =>"
                          + " h.textContent).join()")
                  .asText())
          .isEqualTo("Alignment,Grammar,Phrase evidence,Alternatives,Record");
      assertThat(browser.text("#verdict"))
          .contains("Perplexity of the translation", "Best first, as the stage rerank weighs them");
      browser.screenshot(SCREENSHOTS.resolve("alternatives.png"));
    }
  }

  @Test
  void aFastJobIsSampledAndThePageSaysSo() throws Exception {
    List<String> many = IntStream.range(0, 100_000).mapToObj(i -> "sentence " + i).toList();
    try (PageOfAJob fast = PageOfAJob.fast(Files.createTempDirectory(folder, "fast"), many)) {
      open(fast);
      browser.await("document.getElementById('shown').textContent.includes(' of 100,000')");
      assertThat(browser.text("#shown")).contains("a sample, at most 20 a second");
      assertThat(rows()).isBetween(1, 200);
      // the button works at once, whatever else there is
      browser.click("#pause");
      assertThat(browser.text("#pause")).isEqualTo("Continue");
    }
    browser.await("document.getElementById('connection').textContent === 'the job has ended'");
  }
}
