package io.latimer.cli.web;

import io.latimer.cli.command.CommandException;
import io.latimer.operators.util.FileErrors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate with its key.
 *
 * @param context TLS context for a server
 * @param names the host names and addresses that it is for, in lower case
 */
record Certificate(SSLContext context, Set<String> names) {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  /** Types of entries in a certificate's subject alternative names (RFC 5280, 4.2.1.6). */
  private static final int DNS = 2;

  private static final int IP = 7;

  Certificate {
    names = Set.copyOf(names);
  }

  /** Reads a certificate chain, in which the server's certificate comes first, and its key. */
  static Certificate read(Path chainFile, Path keyFile) {
    try {
      List<X509Certificate> chain = chain(chainFile);
      PrivateKey key = key(keyFile, chain.get(0).getPublicKey().getAlgorithm());
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("page", key, new char[0], chain.toArray(new X509Certificate[0]));
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return new Certificate(context, names(chain.get(0)));
    } catch (GeneralSecurityException e) {
      throw new CommandException(
          "the certificate in "
              + chainFile
              + " cannot be used with the key in "
              + keyFile
              + ": "
              + e.getMessage(),
          e);
    } catch (IOException e) {
      throw new CommandException(
          "the certificate or its key cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private static List<X509Certificate> chain(Path file) throws IOException {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      Collection<? extends java.security.cert.Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
      all.forEach(one -> chain.add((X509Certificate) one));
    } catch (GeneralSecurityException e) {
      throw new CommandException(file + " has no certificates in PEM: " + e.getMessage(), e);
    }
    if (chain.isEmpty()) {
      throw new CommandException(file + " has no certificates in PEM.");
    }
    return chain;
  }

  private static PrivateKey key(Path file, String algorithm)
      throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
    if (!pem.find()) {
      throw new CommandException(
          file
              + " has no key in PKCS #8 without a password (-----BEGIN PRIVATE KEY-----); convert"
              + " it with openssl pkcs8 -topk8 -nocrypt.");
    }
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(pem.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    } catch (IllegalArgumentException | InvalidKeySpecException e) {
      throw new CommandException(
          file + " has no " + algorithm + " key, as its certificate has.", e);
    }
  }

  private static Set<String> names(X509Certificate certificate) throws GeneralSecurityException {
    Set<String> names = new HashSet<>();
    if (certificate.getSubjectAlternativeNames() != null) {
      for (List<?> entry : certificate.getSubjectAlternativeNames()) {
        int type = (Integer) entry.get(0);
        if (type == DNS) {
          names.add(((String) entry.get(1)).toLowerCase(Locale.ROOT));
        } else if (type == IP) {
          String address = (String) entry.get(1);
          names.add(address.contains(":") ? "[" + address + "]" : address);
        }
      }
    }
    return names;
  }
}
