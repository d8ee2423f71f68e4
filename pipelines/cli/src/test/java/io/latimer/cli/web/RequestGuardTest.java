package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTest {
  private static final String TOKEN = "0123456789abcdefXYZ-_";

  private static RequestGuard guard(boolean write, Optional<String> token) {
    return new RequestGuard(
        new WebSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 8090),
            write,
            Set.of(
                "localhost",
                "127.0.0.1",
                "[::1]",
                "news.example.org",
                "*.live.example.org",
                "2001:db8::5"),
            Optional.empty(),
            token),
        8090);
  }

  private static Headers headers(String... pairs) {
    Headers headers = new Headers();
    for (int i = 0; i < pairs.length; i += 2) {
      headers.add(pairs[i], pairs[i + 1]);
    }
    return headers;
  }

  private static int status(RequestGuard guard, boolean writes, String... pairs) {
    return guard.refusal(headers(pairs), writes).map(RequestGuard.Refusal::status).orElse(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:8090",
        "LOCALHOST",
        "127.0.0.1:1",
        "[::1]:8090",
        "[0:0:0:0:0:0:0:1]",
        "[2001:db8::5]:8443",
        "[2001:DB8:0:0::5]",
        "news.example.org",
        "a.live.example.org:443"
      })
  void servesItsOwnNames(String host) {
    assertThat(status(guard(false, Optional.empty()), false, "Host", host)).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8090",
        "live.example.org",
        "a.b.live.example.org",
        "localhost:8090:8090",
        "[::1].evil.example",
        "[2001:db8::6]:8443",
        "[::1%25eth0]",
        "::1",
        ""
      })
  void refusesOtherNames(String host) {
    assertThat(status(guard(false, Optional.empty()), false, "Host", host)).isEqualTo(421);
  }

  @Test
  void refusesNoNameAndSeveral() {
    RequestGuard guard = guard(false, Optional.empty());
    assertThat(status(guard, false)).isEqualTo(421);
    assertThat(status(guard, false, "Host", "localhost", "Host", "evil.example")).isEqualTo(421);
  }

  @ParameterizedTest
  @CsvSource({
    "same-origin, empty, 200",
    "none, document, 200",
    "cross-site, document, 200", // a link from another site
    "cross-site, iframe, 403",
    "cross-site, script, 403",
    "same-site, empty, 403", // another port of this machine
  })
  void refusesWhatOtherSitesAskFor(String site, String destination, int status) {
    assertThat(
            status(
                guard(false, Optional.empty()),
                false,
                "Host",
                "localhost:8090",
                "Sec-Fetch-Site",
                site,
                "Sec-Fetch-Dest",
                destination))
        .isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8090, 200",
    "http://LOCALHOST:8090, 200",
    "https://localhost:8090, 403",
    "http://localhost:8091, 403",
    "http://evil.example, 403",
    "null, 403",
  })
  void onlyItsOwnPageMayWrite(String origin, int status) {
    String[] headers = {"Host", "localhost:8090", "Origin", origin};
    assertThat(status(guard(true, Optional.empty()), true, headers)).isEqualTo(status);
    assertThat(status(guard(false, Optional.empty()), true, headers)).isEqualTo(403);
  }

  @Test
  void aWriteNeedsAnOrigin() {
    assertThat(status(guard(true, Optional.empty()), true, "Host", "localhost")).isEqualTo(403);
  }

  @Test
  void theTokenComesAsACookieOrABearer() {
    RequestGuard guard = guard(false, Optional.of(TOKEN));
    assertThat(guard.isAllowed(headers())).isFalse();
    assertThat(guard.isAllowed(headers("Authorization", "Bearer " + TOKEN))).isTrue();
    assertThat(guard.isAllowed(headers("Authorization", "Bearer " + TOKEN + "x"))).isFalse();
    assertThat(guard.isAllowed(headers("Authorization", TOKEN))).isFalse();
    assertThat(guard.isAllowed(headers("Cookie", "a=b; latimer-8090=" + TOKEN))).isTrue();
    assertThat(guard.isAllowed(headers("Cookie", "latimer-8091=" + TOKEN))).isFalse();
    assertThat(guard.isAllowed(headers("Cookie", "latimer-8090="))).isFalse();
    assertThat(guard(false, Optional.empty()).isToken("")).isFalse();
  }

  @Test
  void theCookieOfATlsPageStaysOnTls() throws NoSuchAlgorithmException {
    WebSettings tls =
        new WebSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            false,
            Set.of("localhost"),
            Optional.of(SSLContext.getDefault()),
            Optional.of(TOKEN));
    assertThat(new RequestGuard(tls, 443).setCookie())
        .isEqualTo("__Host-latimer-443=" + TOKEN + "; Path=/; HttpOnly; SameSite=Lax; Secure");
    assertThat(guard(false, Optional.of(TOKEN)).setCookie()).doesNotContain("Secure");
  }
}
