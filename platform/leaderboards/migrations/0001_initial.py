import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('challenges', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='RankingVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('inputs', models.JSONField(help_text='assessment digest, versions and, team by team, the result that counted')),
                        ('inputs_digest', models.CharField(max_length=64)),
                        ('assessment_digest', models.CharField(max_length=64)),
                        ('seed', models.PositiveBigIntegerField()),
                        ('bootstrap', models.PositiveIntegerField()),
                        ('cases', models.PositiveIntegerField()),
                        ('digest', models.CharField(help_text='SHA-256 of the ranking document', max_length=64)),
                        ('versions', models.JSONField(default=dict)),
                        ('sentences', models.JSONField(default=dict, help_text='order → what it says')),
                        ('table', models.JSONField(help_text='what the pages show, see leaderboards.domain.tables')),
                        ('document_name', models.CharField(help_text='the ranking document in the private storage', max_length=200)),
                        ('metadata_name', models.CharField(blank=True, help_text='the case metadata that it depends on, in the private storage', max_length=200)),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rankings', to='challenges.phase')),
                    ],
                    options={
                        'ordering': ['phase', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('phase', 'number'), name='leaderboards_version_number_once'), models.UniqueConstraint(fields=('phase', 'inputs_digest'), name='leaderboards_version_inputs_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Analysis',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('figures', models.JSONField(default=dict, help_text='figure name → order → file in the private storage')),
                        ('sentences', models.JSONField(default=dict, help_text='order → what the comparisons say')),
                        ('findings', models.JSONField(default=dict, help_text='tables of the tabs, by name of the step that made them')),
                        ('steps', models.JSONField(default=list, help_text='names of the steps that are done')),
                        ('total', models.PositiveSmallIntegerField(default=0, help_text='how many steps there are; 0 before the first one')),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('failures', models.JSONField(default=dict, help_text='step → why it failed; for organizers')),
                        ('version', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='analysis', to='leaderboards.rankingversion')),
                    ],
                    options={
                        'verbose_name_plural': 'analyses',
                        'indexes': [models.Index(condition=models.Q(('finished_at', None)), fields=['version'], name='leaderboards_unfinished')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('finished_at', None), ('total__gt', 0), _connector='OR'), name='leaderboards_finished_analysis_had_steps')],
                    },
                ),
                migrations.CreateModel(
                    name='Standing',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('since', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('cause', models.CharField(choices=[('score', 'a submission was scored'), ('rerun', 'a submission was scored again'), ('closed', 'the phase closed'), ('change', 'the teams or the submissions that count changed'), ('request', 'an organizer asked for it')], max_length=10)),
                        ('changes', models.JSONField(default=dict, help_text='teams added, removed and changed against the standing before')),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='challenges.phase')),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='leaderboards.rankingversion')),
                    ],
                    options={
                        'ordering': ['phase', 'since', 'pk'],
                        'indexes': [models.Index(fields=['phase', 'since'], name='leaderboard_phase_i_49b899_idx')],
                    },
                ),
                migrations.CreateModel(
                    name='Freeze',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('hours', models.PositiveSmallIntegerField(help_text='so long before the phase closes the public ranking stops moving')),
                        ('phase', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='freeze', to='challenges.phase')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('hours__gt', 0)), name='leaderboards_freeze_has_hours')],
                    },
                ),
                migrations.CreateModel(
                    name='OverallRanking',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('phase_slug', models.SlugField(help_text='of the phases that are combined, one in each task', max_length=80)),
                        ('name', models.CharField(max_length=200)),
                        ('inputs', models.JSONField(help_text='the ranking of each task, by number and digest, and what is registered')),
                        ('inputs_digest', models.CharField(max_length=64)),
                        ('document', models.JSONField(blank=True, default=dict, help_text='see evaluation.ranking.overall')),
                        ('digest', models.CharField(blank=True, help_text='SHA-256 of the document', max_length=64)),
                        ('problem', models.CharField(blank=True, max_length=1000)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rankings_over_tasks', to='challenges.challenge')),
                    ],
                    options={
                        'ordering': ['challenge', 'name', 'created_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'phase_slug', 'name', 'inputs_digest'), name='leaderboards_overall_inputs_once'), models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), models.Q(('problem', ''), _negated=True)), models.Q(models.Q(('digest', ''), _negated=True), ('problem', '')), _connector='OR'), name='leaderboards_overall_ranking_or_problem')],
                    },
                ),
                migrations.CreateModel(
                    name='RankingRequest',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('requested', models.PositiveIntegerField(default=0)),
                        ('computed', models.PositiveIntegerField(default=0)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('cause', models.CharField(choices=[('score', 'a submission was scored'), ('rerun', 'a submission was scored again'), ('closed', 'the phase closed'), ('change', 'the teams or the submissions that count changed'), ('request', 'an organizer asked for it')], default='score', max_length=10)),
                        ('progress', models.JSONField(default=list, help_text='tables ranked so far and their number, while one is computed')),
                        ('nothing_counts', models.BooleanField(default=False, help_text='when it was last computed, no result counted: whatever stood before stands no more')),
                        ('begun', models.JSONField(blank=True, default=dict, help_text='of a ranking that is computed in slices: digest and runs of its inputs, and what it answers')),
                        ('phase', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ranking_request', to='challenges.phase')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('computed__lte', models.F('requested'))), name='leaderboards_computed_was_requested')],
                    },
                ),
            ]
        ),
    ]
