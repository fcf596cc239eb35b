"""Corpus QA: questions over anyone's text documents, in the form of OfficeQA."""
