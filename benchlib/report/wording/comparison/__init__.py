"""What is said of comparisons: cells and tables, sentences, the verdict, the top of the page."""
