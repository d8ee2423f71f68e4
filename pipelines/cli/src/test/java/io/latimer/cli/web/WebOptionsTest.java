package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.command.CommandException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class WebOptionsTest {
  @TempDir Path folder;

  @Command(name = "test")
  static final class Host implements Runnable {
    @Mixin WebOptions web;

    @Override
    public void run() {}
  }

  private static Optional<WebSettings> settings(String... args) {
    Host host = new Host();
    new CommandLine(host).parseArgs(args);
    return host.web.settings();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void withoutOptionsThereIsNoPage() {
    assertThat(settings()).isEmpty();
  }

  @Test
  void thePageIsOnLoopbackAndReadOnly() {
    WebSettings page = settings("--web").orElseThrow();
    assertThat(page.address().getAddress().isLoopbackAddress()).isTrue();
    assertThat(page.address().getPort()).isEqualTo(8090);
    assertThat(page.write()).isFalse();
    assertThat(page.token()).isEmpty();
    assertThat(page.hosts())
        .containsExactlyInAnyOrder("localhost", "127.0.0.1", WebSettings.name("::1"));
    assertThat(page.url(8090)).isEqualTo("http://localhost:8090/");
    assertThat(settings("--web=0", "--web-write").orElseThrow().write()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, http://localhost:8090/",
    "::1, http://localhost:8090/",
    "localhost, http://localhost:8090/",
    "127.0.0.2, http://127.0.0.2:8090/",
  })
  void itsAddressIsWhereItListens(String address, String url) {
    WebSettings page = settings("--web", "--web-address", address).orElseThrow();
    assertThat(page.url(8090)).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--web-write",
        "--web-address 127.0.0.1",
        "--web=-1",
        "--web=65536",
        "--web --web-address 0.0.0.0",
        "--web --web-address ::",
        "--web --web-address 192.0.2.1 --web-write",
        "--web --web-certificate certificate.pem",
        "--web --web-key key.pem",
      })
  void whatDoesNotGoTogetherIsRefused(String args) {
    assertThatThrownBy(() -> settings(args.split(" ")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("--web");
  }

  @ParameterizedTest
  @CsvSource({"RSA", "EC"})
  void beyondLoopbackThereAreTlsAndAToken(String algorithm) throws Exception {
    KeyStore keys = PageCertificate.write(folder, algorithm);
    WebSettings page =
        settings(
                "--web=0",
                "--web-address",
                "0.0.0.0",
                "--web-certificate",
                path("certificate.pem"),
                "--web-key",
                path("key.pem"))
            .orElseThrow();
    assertThat(page.token().orElseThrow()).hasSizeGreaterThanOrEqualTo(32);
    assertThat(page.hosts())
        .contains("localhost", "news.example.org", "*.live.example.org", "127.0.0.1");
    assertThat(page.url(8443))
        .isEqualTo("https://news.example.org:8443/?token=" + page.token().orElseThrow());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("page", keys.getCertificate("page"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    HttpClient client = HttpClient.newBuilder().sslContext(context).build();
    StuckThreads stuck = new StuckThreads(System::nanoTime);
    EventHub hub = new EventHub(stuck);
    try (PageServer server = new PageServer(page, hub, new PageApi(), stuck)) {
      URI uri = URI.create("https://localhost:" + server.port() + "/");
      HttpRequest.Builder request = HttpRequest.newBuilder(uri);
      assertThat(client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(401);
      request.header("Authorization", "Bearer " + page.token().orElseThrow());
      assertThat(client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body())
          .contains("<html");
    }
  }

  @Test
  void aTokenOfAFileIsUsedOnLoopbackToo() throws Exception {
    Files.writeString(folder.resolve("token"), "0123456789abcdefXYZ-_\n");
    WebSettings page = settings("--web", "--web-token", path("token")).orElseThrow();
    assertThat(page.token()).contains("0123456789abcdefXYZ-_");
    assertThat(page.url(8090)).isEqualTo("http://localhost:8090/?token=0123456789abcdefXYZ-_");
    for (String bad : new String[] {"", "short", "with spaces in between", "a".repeat(201)}) {
      Files.writeString(folder.resolve("token"), bad);
      assertThatThrownBy(() -> settings("--web", "--web-token", path("token")))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("16 to 200");
    }
    assertThatThrownBy(() -> settings("--web", "--web-token", path("none")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("cannot be read");
  }

  @Test
  void aCertificateThatCannotBeUsedIsNamed() throws Exception {
    PageCertificate.write(folder, "RSA");
    Files.copy(folder.resolve("key.pem"), folder.resolve("rsa.pem"));
    PageCertificate.write(folder, "EC");
    Files.writeString(folder.resolve("empty.pem"), "");
    assertRefused("certificate.pem", "rsa.pem", "rsa.pem");
    assertRefused("empty.pem", "key.pem", "empty.pem");
    assertRefused("certificate.pem", "empty.pem", "PKCS #8");
    assertRefused("key.pem", "key.pem", "key.pem");
    assertRefused("none.pem", "key.pem", "cannot be read");
  }

  private void assertRefused(String certificate, String key, String message) {
    assertThatThrownBy(
            () -> settings("--web", "--web-certificate", path(certificate), "--web-key", path(key)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(message);
  }
}
