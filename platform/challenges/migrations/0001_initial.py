import challenges.models.challenges
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('registry', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Challenge',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=80, unique=True)),
                        ('title', models.CharField(max_length=200)),
                        ('summary', models.CharField(help_text='one sentence', max_length=300)),
                        ('description', models.TextField(blank=True, help_text='Markdown')),
                        ('data_description', models.TextField(blank=True, help_text='Markdown: what the data are and where they come from')),
                        ('rules_text', models.TextField(blank=True, help_text='Markdown: rules of participation')),
                        ('contact', models.CharField(blank=True, max_length=200)),
                        ('attribution', models.TextField(blank=True, help_text='source and licence of the data')),
                        ('agreement', models.TextField(blank=True, default='', help_text='the registered data usage agreement, which everybody accepts before joining')),
                        ('overall_rankings', models.JSONField(blank=True, default=list, help_text='registered rankings over several tasks, as the design compiles to them')),
                        ('is_public', models.BooleanField(default=False)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                    ],
                    options={
                        'ordering': ['title'],
                    },
                ),
                migrations.CreateModel(
                    name='Phase',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=80)),
                        ('name', models.CharField(max_length=200)),
                        ('position', models.PositiveSmallIntegerField(default=1)),
                        ('opens_at', models.DateTimeField()),
                        ('closes_at', models.DateTimeField()),
                        ('closed_at', models.DateTimeField(blank=True, help_text='set when it was closed before its time', null=True)),
                        ('ended_at', models.DateTimeField(blank=True, editable=False, help_text='when what follows its end was set going, however it ended', null=True)),
                        ('submissions_per_day', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('submissions_in_total', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('counts', models.CharField(choices=[('last', 'the last one'), ('best', 'the best one'), ('chosen', 'the one that the team chooses before the deadline')], default='last', max_length=10)),
                        ('results', models.CharField(choices=[('cases', 'own scores, case by case'), ('aggregate', 'own aggregate only'), ('validation', 'validation only'), ('revealed', 'nothing until the results are released')], default='validation', max_length=12)),
                        ('leaderboard', models.CharField(choices=[('public', 'public from the first score'), ('sealed', 'sealed until the phase closes')], default='sealed', max_length=10)),
                        ('reveals_cases', models.BooleanField(default=False, help_text='after it closes, teams see pictures of their predictions beside the references')),
                        ('incomplete_allowed', models.BooleanField(default=True, help_text='a submission may lack cases; they count as missing')),
                        ('reveals_at', models.DateTimeField(blank=True, help_text='results and ranking stay hidden until then, also after the phase has closed', null=True)),
                        ('feedback', models.CharField(choices=[('exact', 'as computed'), ('rounded', 'rounded to the precision of its standard error'), ('ladder', 'only when it improves by more than its noise')], default='exact', max_length=10)),
                        ('is_dry_run', models.BooleanField(default=False, help_text='references are public: for trying everything out, without meaning for any award')),
                        ('requires_method', models.BooleanField(default=False, help_text='the final ranking has only teams with a complete method description')),
                        ('publishes_methods', models.BooleanField(default=True, help_text='method descriptions become public with the results, where the team agrees')),
                        ('requires_code', models.BooleanField(default=False, help_text='the final ranking has only teams whose method description says where their code is')),
                        ('stays_open', models.BooleanField(default=False, help_text='an open call: it has no deadline, and its ranking is public from the first score')),
                        ('announcement', models.CharField(choices=[('all', 'every ranked team'), ('top', 'teams on the first ranks'), ('agreed', 'teams that agree in their method description'), ('not_refused', 'teams that do not say otherwise in their method description')], default='all', max_length=12)),
                        ('announced_ranks', models.PositiveSmallIntegerField(blank=True, help_text='teams up to this rank are named, where only the first are', null=True)),
                        ('interaction', models.CharField(blank=True, choices=[('', 'nothing'), ('indicated', 'it stands beside the team'), ('weighted', 'it stands beside the team, and values are weighted by it'), ('separate', 'it stands beside the team, and fully automatic methods are ranked among themselves as well')], default='', max_length=12)),
                        ('interaction_levels', models.JSONField(blank=True, default=list, help_text='levels of interaction that may be ranked finally; empty: every one')),
                        ('methods_per_team', models.PositiveSmallIntegerField(default=1, help_text='so many submissions of a team are ranked, each as a method of its own, if it chooses them')),
                        ('least_share', models.FloatField(blank=True, help_text='the final ranking has only submissions with answers to at least this share of the cases', null=True)),
                        ('is_held', models.BooleanField(default=False, editable=False, help_text='kept shut until the launch gate lets submissions open')),
                        ('assessment_document', models.JSONField()),
                        ('assessment_digest', models.CharField(editable=False, max_length=64)),
                    ],
                    options={
                        'ordering': ['task', 'position'],
                    },
                ),
                migrations.CreateModel(
                    name='Announcement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('title', models.CharField(max_length=150)),
                        ('text', models.TextField(help_text='Markdown', max_length=20000)),
                        ('published_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('told', models.PositiveIntegerField(default=0, help_text='people it was sent to')),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='challenges.challenge')),
                    ],
                    options={
                        'ordering': ['-published_at'],
                    },
                ),
                migrations.CreateModel(
                    name='Member',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('captain', 'captain'), ('member', 'member')], default='captain', max_length=10)),
                        ('joined_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('left_at', models.DateTimeField(blank=True, null=True)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='challenges.challenge')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['joined_at'],
                    },
                ),
                migrations.CreateModel(
                    name='Organizer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('owner', 'owner: everything, also who else organizes'), ('manager', 'manager: everything but organizers, disqualification and closing'), ('moderator', 'moderator: announcements and discussion only')], default='owner', max_length=10)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='challenges.challenge')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='challenges_organizer_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Deviation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('registered_digest', models.CharField(max_length=64)),
                        ('executed_digest', models.CharField(max_length=64)),
                        ('parameters', models.JSONField(help_text='labels of the parameters that changed')),
                        ('reason', models.TextField()),
                        ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('teams_scored', models.PositiveIntegerField(editable=False, help_text='teams with a score when the change was asked for; empty: not recorded', null=True)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deviations', to='challenges.phase')),
                    ],
                    options={
                        'ordering': ['phase', 'decided_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('phase', 'version'), name='challenges_one_deviation_a_version'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='challenges_deviation_has_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='PhaseAssessment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.JSONField()),
                        ('digest', models.CharField(max_length=64)),
                        ('since', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assessments', to='challenges.phase')),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
                    ],
                    options={
                        'ordering': ['phase', 'since', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('phase', 'version'), name='challenges_one_assessment_a_version')],
                    },
                ),
                migrations.CreateModel(
                    name='Projection',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('digest', models.CharField(max_length=64)),
                        ('launched_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('projected_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('opened_at', models.DateTimeField(blank=True, help_text='when the launch gate let submissions open; empty: it is shut', null=True)),
                        ('challenge', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='projection', to='challenges.challenge')),
                        ('launched_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('registration', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='projection', to='registry.registration')),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
                    ],
                ),
                migrations.CreateModel(
                    name='Task',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=80)),
                        ('name', models.CharField(max_length=200)),
                        ('description', models.TextField(blank=True)),
                        ('position', models.PositiveSmallIntegerField(default=1)),
                        ('design_key', models.CharField(blank=True, editable=False, help_text='key of the task in the registered design', max_length=60)),
                        ('removed_at', models.DateTimeField(blank=True, editable=False, help_text='when a registered change took it out; what was there stays', null=True)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='challenges.challenge')),
                    ],
                    options={
                        'ordering': ['challenge', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'slug'), name='challenges_task_slug_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='Seat',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='challenges.member')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='challenges.task')),
                    ],
                    options={
                        'ordering': ['task'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'user'), name='challenges_one_team_a_person_and_task')],
                    },
                ),
                migrations.CreateModel(
                    name='Team',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=80)),
                        ('slug', models.SlugField(max_length=90)),
                        ('pseudonym', models.CharField(default=challenges.models.challenges.new_pseudonym, editable=False, help_text='stands in public where its name does not', max_length=40)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('standing', models.CharField(choices=[('ranked', 'ranked'), ('no_award', 'ranked, not eligible for awards'), ('unranked', 'takes part without a rank'), ('disqualified', 'disqualified')], default='ranked', max_length=12)),
                        ('standing_reason', models.CharField(blank=True, help_text='shown to the team', max_length=500)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='challenges.challenge')),
                        ('tasks', models.ManyToManyField(help_text='in which it takes part', related_name='teams', to='challenges.task')),
                    ],
                    options={
                        'ordering': ['name'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'slug'), name='challenges_team_slug_unique'), models.UniqueConstraint(fields=('challenge', 'pseudonym'), name='challenges_team_pseudonym_unique'), models.CheckConstraint(condition=models.Q(('standing', 'ranked'), models.Q(('standing_reason', ''), _negated=True), _connector='OR'), name='challenges_standing_has_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Concern',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('organizer', "belongs to an organizer's institution"), ('labels', 'had access to test labels'), ('accounts', 'looks like another account'), ('predictions', 'the same predictions as another team')], max_length=12)),
                        ('key', models.CharField(help_text='what it is about: the same is found once', max_length=150)),
                        ('evidence', models.CharField(max_length=500)),
                        ('state', models.CharField(choices=[('open', 'to look at'), ('upheld', 'upheld'), ('dismissed', 'dismissed')], default='open', max_length=10)),
                        ('note', models.CharField(blank=True, max_length=500)),
                        ('found_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('decided_at', models.DateTimeField(blank=True, null=True)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='concerns', to='challenges.challenge')),
                        ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='concerns', to='challenges.team')),
                    ],
                    options={
                        'ordering': ['-found_at'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'kind', 'key'), name='challenges_concern_once'), models.CheckConstraint(condition=models.Q(('state', 'open'), models.Q(('note', ''), _negated=True), _connector='OR'), name='challenges_concern_decided_with_a_note')],
                    },
                ),
                migrations.CreateModel(
                    name='Terms',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveSmallIntegerField()),
                        ('agreement', models.TextField(blank=True, help_text='Markdown: what people agree to when they take part')),
                        ('requires_approval', models.BooleanField(default=False, help_text='organizers let each person in')),
                        ('team_size', models.PositiveSmallIntegerField(blank=True, help_text='most members of a team', null=True)),
                        ('requires_method', models.BooleanField(default=False, help_text='the final ranking has only teams with a complete method description')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='terms', to='challenges.challenge')),
                        ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name_plural': 'terms',
                        'ordering': ['challenge', '-version'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'version'), name='challenges_terms_version_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='Participation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('state', models.CharField(choices=[('pending', 'waiting for the organizers'), ('approved', 'takes part'), ('declined', 'declined')], default='approved', max_length=10)),
                        ('rules_text', models.TextField(blank=True, help_text='the rules of participation as accepted')),
                        ('agreement', models.TextField(blank=True, help_text='the data-usage agreement as accepted')),
                        ('accepted_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('affiliation', models.CharField(blank=True, max_length=200)),
                        ('orcid', models.CharField(blank=True, max_length=19)),
                        ('message', models.CharField(blank=True, help_text='from the person to the organizers', max_length=500)),
                        ('decided_at', models.DateTimeField(blank=True, null=True)),
                        ('reason', models.CharField(blank=True, max_length=500)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='challenges.challenge')),
                        ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to=settings.AUTH_USER_MODEL)),
                        ('terms', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='challenges.terms')),
                    ],
                    options={
                        'ordering': ['-accepted_at'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='challenges_one_participation_a_person'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'declined'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='challenges_declined_with_a_reason')],
                    },
                ),
            ]
        ),
        migrations.AddField(
            model_name='challenge',
            name='organizers',
            field=models.ManyToManyField(related_name='organized_challenges', through='challenges.Organizer', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='phase',
            name='task',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='phases', to='challenges.task'),
        ),
        migrations.AddField(
            model_name='member',
            name='team',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='challenges.team'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.UniqueConstraint(fields=('task', 'slug'), name='challenges_phase_slug_unique'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('closes_at__gt', models.F('opens_at'))), name='challenges_phase_opens_before_it_closes'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('feedback', 'exact'), ('leaderboard', 'sealed'), ('results', 'revealed'), ('reveals_at__isnull', False)), models.Q(models.Q(('results', 'revealed'), _negated=True), models.Q(('reveals_at__isnull', True), ('leaderboard', 'sealed'), _connector='OR')), _connector='OR'), name='challenges_phase_reveals_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('feedback', 'exact'), models.Q(('leaderboard', 'sealed'), ('results', 'aggregate')), _connector='OR'), name='challenges_phase_feedback_is_not_undone'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('is_dry_run', False), models.Q(('feedback', 'exact'), models.Q(('results', 'revealed'), _negated=True)), _connector='OR'), name='challenges_dry_run_hides_nothing'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('announced_ranks__gte', 1), ('announcement', 'top')), models.Q(models.Q(('announcement', 'top'), _negated=True), ('announced_ranks__isnull', True)), _connector='OR'), name='challenges_announced_ranks_where_only_the_first_are_named'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('methods_per_team', 1), models.Q(('counts', 'chosen'), ('methods_per_team__gt', 1)), _connector='OR'), name='challenges_several_methods_are_chosen'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('least_share__isnull', True), models.Q(('least_share__gt', 0), ('least_share__lte', 1)), _connector='OR'), name='challenges_least_share_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('stays_open', False), models.Q(('leaderboard', 'public'), ('reveals_at__isnull', True)), _connector='OR'), name='challenges_open_call_has_a_public_ranking'),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.UniqueConstraint(fields=('team', 'user'), name='challenges_member_once'),
        ),
    ]
