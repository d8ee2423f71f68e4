package io.latimer.cli.demo;

import java.io.IOException;
import java.io.InputStream;

/** Opens the feed of a demo at its start; more than once where it is sent again and again. */
interface DemoFeed {
  InputStream open() throws IOException;
}
