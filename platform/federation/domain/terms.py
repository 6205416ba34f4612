"""Default terms that a site confirms before it participates, unless the organizers write other terms."""

USUAL_TERMS = """\
The site scores the algorithms of this challenge on its own cases, on its own machine, with the registered assessment.

1. The site has the right to use its cases for this purpose, and the approvals that its law asks for.
2. Cases, their names and their values stay at the site. What leaves are sums over at least {minimum} cases, shown in full before they are sent.
3. Grades of quality are given, and the cases sealed, before the first algorithm is scored. They do not change afterwards.
4. Every algorithm of the package is scored on all sealed cases that count. One that fails is reported as failed, never left out.
5. What is sent enters the public ranking under the name of the site given here. Until the phase closes, nobody ranks or shows it.
6. The site may withdraw at any time, and says whether its sums stay or are removed.
"""
