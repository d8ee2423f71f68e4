package io.latimer.pipelines.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedirectsTest {
  private static final URI PUBLIC = URI.create("https://203.0.113.5/feed?key=s3cr3t");

  @Test
  void aPublicServerCannotRedirectIntoAPrivateNetwork() throws IOException {
    for (String host :
        List.of(
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.5.4",
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "100.100.100.200",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::10.0.0.1]",
            "[2002:a00:1::]")) {
      assertThatThrownBy(() -> new Redirects(false).target(PUBLIC, "https://" + host + "/latest"))
          .as(host)
          .isInstanceOf(RefusedRedirectException.class)
          .hasMessageContaining("into a private network");
    }
    assertThat(new Redirects(false).target(PUBLIC, "https://203.0.113.6/x"))
        .isEqualTo(URI.create("https://203.0.113.6/x"));
    assertThat(new Redirects(false).target(PUBLIC, "//203.0.113.6/x"))
        .isEqualTo(URI.create("https://203.0.113.6/x"));
    URI local = URI.create("http://127.0.0.1/a/b");
    assertThat(new Redirects(true).target(local, "../c"))
        .isEqualTo(URI.create("http://127.0.0.1/c"));
  }

  /** A host that was public when it was asked may have another address when it redirects. */
  @Test
  void aPublicServerCannotRedirectToItselfInsideEither() {
    URI rebound = URI.create("http://127.0.0.1:8080/feed");
    assertThatThrownBy(() -> new Redirects(false).target(rebound, "/latest"))
        .isInstanceOf(RefusedRedirectException.class)
        .hasMessageContaining("into a private network");
  }

  @Test
  void onlyCompleteAddressesOfTheSameProtocolAreFollowedAndNotForEver() throws IOException {
    for (String invalid : List.of("", "https:", "https:///x", "not an address")) {
      assertThatThrownBy(() -> new Redirects(PUBLIC).target(PUBLIC, invalid))
          .as(invalid)
          .isInstanceOf(RefusedRedirectException.class)
          .hasMessageContaining("invalid address");
    }
    assertThatThrownBy(() -> new Redirects(PUBLIC).target(PUBLIC, null))
        .hasMessageContaining("invalid address");
    for (String other : List.of("http://203.0.113.5/?key=s3cr3t", "file:///etc/passwd")) {
      assertThatThrownBy(() -> new Redirects(PUBLIC).target(PUBLIC, other))
          .hasMessageContaining("another protocol")
          .hasMessageNotContaining("s3cr3t");
    }
    Redirects redirects = new Redirects(PUBLIC);
    for (int i = 0; i < 5; i++) {
      assertThat(redirects.target(PUBLIC, "/" + i).getPath()).isEqualTo("/" + i);
    }
    assertThatThrownBy(() -> redirects.target(PUBLIC, "/5"))
        .hasMessageContaining("more than 5 times");
  }
}
