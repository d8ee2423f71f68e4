/** Makes a site of static pages from the Markdown files of a checkout. */
package io.latimer.release.site;
