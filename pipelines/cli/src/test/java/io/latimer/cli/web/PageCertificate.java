package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate as the JDK's keytool makes it, in PEM. */
final class PageCertificate {
  private PageCertificate() {}

  /** Writes {@code certificate.pem} and {@code key.pem}. */
  static KeyStore write(Path folder, String algorithm) throws Exception {
    Path store = folder.resolve(algorithm + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                "password",
                "-alias",
                "page",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=page",
                "-ext",
                "san=dns:localhost,dns:News.example.org,dns:*.live.example.org,ip:127.0.0.1,ip:::1")
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
    pem(folder.resolve("certificate.pem"), "CERTIFICATE", keys.getCertificate("page").getEncoded());
    pem(
        folder.resolve("key.pem"),
        "PRIVATE KEY",
        keys.getKey("page", "password".toCharArray()).getEncoded());
    return keys;
  }

  private static void pem(Path file, String kind, byte[] bytes) throws Exception {
    Files.writeString(
        file,
        "-----BEGIN "
            + kind
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + kind
            + "-----\n");
  }
}
